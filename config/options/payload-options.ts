import { z } from 'zod/v4';
import { type EncryptionOptions, encryptionProblem } from '../../features/encryption/keys.ts';
import { type StorageOptions, storageProblem } from '../../features/storage/storage.ts';

/** The option `encryption` of a config. A problem does not quote the keys. */
export const encryptionSchema = z.custom<EncryptionOptions>().superRefine((value, { addIssue }) => {
  const problem = encryptionProblem(value);
  if (problem !== undefined) addIssue({ code: 'custom', message: problem });
});

/** The option `storage` of a config. */
export const storageSchema = z.custom<StorageOptions>().superRefine((value, { addIssue }) => {
  const problem = storageProblem(value);
  if (problem !== undefined) addIssue({ code: 'custom', message: problem });
});
