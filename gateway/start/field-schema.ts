import { z } from '@hono/zod-openapi';
import type { StartOptions } from '../../client/index.ts';
import { type CallerField, type Shape, startFieldList } from '../../agent/start/start-fields.ts';

/** The schema of a field of a start. The client checks what a schema leaves open, and names the field. */
function schemaOf({ doc, ...shape }: Shape): z.ZodType {
  const schema = bareSchema(shape);
  return doc === undefined ? schema : schema.openapi({ description: doc });
}

function bareSchema(shape: Shape): z.ZodType {
  switch (shape.json) {
    case 'text':
      return z.string();
    case 'any':
      return z.unknown();
    case 'integer':
      return shape.nullable === true ? z.int().nullable() : z.int();
    case 'number':
      return shape.nullable === true ? z.number().nullable() : z.number();
    case 'choice':
      return z.enum(shape.of);
    case 'list':
      return z.array(schemaOf(shape.of));
    case 'map':
      return z.record(z.string(), schemaOf(shape.of));
    case 'object': {
      const { fields, optional = [] } = shape;
      return z.strictObject(
        Object.fromEntries(
          Object.entries(fields).map(([name, field]) => {
            const schema = schemaOf(field);
            return [name, optional.includes(name) ? schema.optional() : schema];
          }),
        ),
      );
    }
  }
}

/** The fields of a start that a caller may set with a permission: see the table of fields. */
export const startFieldShape = Object.fromEntries(
  startFieldList.flatMap(({ name, may, shape }) =>
    may === undefined ? [] : [[name, schemaOf(shape).optional()]],
  ),
) as unknown as { readonly [F in CallerField]: z.ZodType<StartOptions[F]> }; // the shape of a field is its type as JSON
export const startSchema = z.object(startFieldShape);
