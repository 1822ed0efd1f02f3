import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readSkills } from '../../../../../adapters/tools/skills/read-skills.ts';
import { createSkillTool } from '../../../../../adapters/tools/skills/skill-tool.ts';
import { createSkillVersions } from '../../../../../adapters/tools/skills/skill-versions.ts';
import { toolContext } from '../../../../../adapters/tools/test-context.ts';
import { builtInKinds } from '../../../../../agent/kinds/kinds.ts';
import { renderRequest } from '../../../../../agent/transcript/request.ts';
import { loadedConfig, problemOf, tool } from '../../../../support/config.ts';
import { manifestOfKind, sampleManifest } from '../../../../support/manifest.ts';
import { writeSkill } from '../../../../support/skill-folder.ts';
import { tempFolder } from '../../../../support/temp-folder.ts';

describe('a folder of skills', () => {
  test('has a skill in each sub-folder with a SKILL.md', () => {
    const folder = tempFolder();
    writeSkill(folder, 'pdf-forms', {
      description: '>\n  Fills in\n  forms.',
      files: { 'ref/fields.md': 'x', '.DS_Store': '' },
    });
    writeSkill(folder, 'letters');
    mkdirSync(join(folder, 'drafts'));
    expect(readSkills(folder)).toEqual([
      expect.objectContaining({ name: 'letters', paths: ['SKILL.md'] }),
      expect.objectContaining({
        name: 'pdf-forms',
        description: 'Fills in forms.',
        paths: ['SKILL.md', 'ref/fields.md'],
      }),
    ]);
  });

  test('has another digest when any file changes, and only then', () => {
    const [one, other] = [tempFolder(), tempFolder()];
    writeSkill(one, 'pdf', { files: { 'a.md': 'one' } });
    writeSkill(other, 'pdf', { files: { 'a.md': 'one' } });
    const before = readSkills(one)[0]?.digest;
    expect(readSkills(other)[0]?.digest).toBe(before);
    writeFileSync(join(other, 'pdf/a.md'), 'two');
    expect(readSkills(other)[0]?.digest).not.toBe(before);
  });

  test.each([
    ['no front matter', '# Forms', /SKILL\.md does not begin with its name and description/u],
    ['front matter that is no YAML', '---\nname: [\n---\n', /not YAML.*quotes/su],
    ['front matter without fields', '---\n- a\n---\n', /has no fields/u],
    ['a name of another folder', '---\nname: other\ndescription: x\n---\n', /Rename one of them/u],
    ['a name in capitals', '---\nname: Forms\ndescription: x\n---\n', /Write name: forms/u],
    ['a name that is a number', '---\nname: 12\ndescription: x\n---\n', /Write name: forms/u],
    ['no description', '---\nname: forms\n---\n', /description is not a text of 1 to 1024/u],
    ['a long description', `---\nname: forms\ndescription: ${'x'.repeat(1025)}\n---\n`, /1 to 1024/u],
  ])('is refused with %s', (_what, text, message) => {
    const folder = tempFolder();
    writeSkill(folder, 'forms', { files: { 'SKILL.md': text } });
    expect(() => readSkills(folder)).toThrow(message);
  });

  test('is refused with a folder in the place of the SKILL.md', () => {
    const folder = tempFolder();
    mkdirSync(join(folder, 'forms/SKILL.md'), { recursive: true });
    expect(() => readSkills(folder)).toThrow(/SKILL\.md is a folder\. Write/u);
  });

  test('is refused when it is empty, or is not there', () => {
    const folder = tempFolder();
    expect(() => readSkills(folder)).toThrow(/no sub-folder with a SKILL\.md/u);
    expect(() => readSkills(join(folder, 'nowhere'))).toThrow(/there is no folder/u);
  });

  test.each([
    ['file', 'forms/passwd', '/etc/passwd'],
    ['folder', 'forms/etc', '/etc'],
    ['skill', 'letters', './forms'],
  ])('is refused with a %s that is a link', (_what, link, target) => {
    const folder = tempFolder();
    writeSkill(folder, 'forms');
    symlinkSync(target, join(folder, link));
    expect(() => readSkills(folder)).toThrow(/is a link.*Put a copy/su);
  });
});

describe('read_skill', () => {
  const folder = tempFolder();
  const copies = join(tempFolder(), 'skills');
  const bytes = Uint8Array.of(0xff, 0xfe, 0);
  writeSkill(folder, 'forms', { files: { 'ref/a.md': 'fields', 'logo.png': bytes } });
  const skills = readSkills(folder);
  const versions = createSkillVersions(skills, copies);
  const read = (input: object, found = versions) =>
    createSkillTool(found)
      .forAgent?.(sampleManifest({ skills }))
      .run(input as never, toolContext());

  test('returns the body with the list of files, or a file', () => {
    expect(read({ name: 'forms' })).toBe(
      '# forms\n\nDo it as forms does.\n\nFiles of this skill, for read_skill with file:\n- logo.png\n- ref/a.md',
    );
    expect(read({ name: 'forms', file: './ref/a.md' })).toBe('fields');
  });

  test.each([
    [{ name: 'letters' }, 'There is no skill "letters". There are: forms.'],
    [{ name: 'forms', file: '../forms/SKILL.md' }, 'has no file'],
    [{ name: 'forms', file: '/etc/passwd' }, 'has no file'],
    [{ name: 'forms', file: 'logo.png' }, 'is not a text'],
  ])('answers the model that there is no %j', (input, message) => {
    expect(() => read(input)).toThrow(
      expect.objectContaining({ name: 'ToolError', message: expect.stringContaining(message) }),
    );
  });

  test('finds a version that has changed in the copies of this machine only', () => {
    versions.keep(() => undefined);
    versions.keep(() => undefined);
    writeSkill(folder, 'forms', { body: 'Anew.' });
    expect(read({ name: 'forms' })).toContain('Do it as forms does.');
    rmSync(copies, { recursive: true });
    expect(() => read({ name: 'forms' })).toThrow(expect.objectContaining({ name: 'SkillChanged' }));
  });

  test.each(['read', 'loaded again'])('replaces a damaged copy when the skill is %s', (when) => {
    const [own, state] = [tempFolder(), tempFolder()];
    writeSkill(own, 'forms', { body: 'One.' });
    const found = createSkillVersions(readSkills(own), state);
    found.keep(() => undefined);
    const [forms] = readSkills(own);
    const copy = join(state, forms?.digest ?? '', 'SKILL.md');
    writeFileSync(copy, 'damaged');
    if (when === 'read' && forms !== undefined) found.find(forms);
    else found.keep(() => undefined);
    expect(readFileSync(copy, 'utf8')).toContain('One.');
  });

  test('does without copies where the folder cannot be written, and says so', () => {
    const own = tempFolder();
    writeSkill(own, 'letters');
    writeFileSync(join(own, 'file'), '');
    const warnings: string[] = [];
    const without = createSkillVersions(readSkills(own), join(own, 'file/skills'));
    without.keep((text) => warnings.push(text));
    expect(warnings).toEqual([expect.stringContaining('Skills cannot be copied to')]);
    const [letters] = readSkills(own);
    expect(letters && without.find(letters).paths).toEqual(['SKILL.md']);
  });
});

describe('an agent with skills', () => {
  const folder = tempFolder();
  writeSkill(folder, 'forms', { description: 'Fills in {input} forms.' });
  const config = (fields: object = {}) => ({
    agents: [
      { name: 'clerk', model: 'gpt-4o-mini', skills: folder, ...fields },
      { name: 'other', model: 'gpt-4o-mini' },
    ],
  });

  test('records them, with a tool that the others do not have', () => {
    const loaded = loadedConfig(config());
    const clerk = loaded.manifest('clerk', {});
    expect(clerk?.skills).toEqual([
      {
        name: 'forms',
        description: 'Fills in {input} forms.',
        digest: expect.stringMatching(/^[0-9a-f]{32}$/u),
      },
    ]);
    expect(clerk?.tools.map(({ name }) => name)).toEqual(['read_skill']);
    expect(loaded.manifest('other', {})).not.toHaveProperty('skills');
    expect(loaded.manifest('other', {})?.tools).toEqual([]);
  });

  test('is refused with a tool of that name, and with bad skills', () => {
    expect(problemOf(config({ tools: [tool({ name: 'read_skill' })] }))).toContain('Rename yours');
    expect(problemOf(config({ skills: '/nowhere/skills' }))).toBe(
      'Agent "clerk": skills: there is no folder /nowhere/skills. Make it, or name another one.',
    );
  });

  test.each(builtInKinds.map((kind) => [kind.name, kind] as const))(
    'shows them in the prompt of the kind %s',
    (_name, kind) => {
      const manifest = manifestOfKind(kind);
      const context = { input: 'Hello?', chatHistory: [], steps: [], variables: {}, closing: false };
      const skills = [{ name: 'forms', description: 'Fills in {input} forms.', digest: 'd' }];
      const { prompt } = renderRequest(kind, { ...context, manifest: { ...manifest, skills } });
      const first = prompt.type === 'text' ? prompt.text : prompt.messages[0]?.content;
      expect(first).toContain(
        'call read_skill with its name, and follow what you read.\n- forms: Fills in {input} forms.',
      );
      expect(prompt).toMatchObject(
        prompt.type === 'text' ? {} : { messages: [{ role: 'system' }, { role: 'user' }] },
      );
      expect(JSON.stringify(renderRequest(kind, { ...context, manifest }))).not.toContain('read_skill');
    },
  );
});
