import type { CommandSpec } from '../command-spec.ts'
import { BACKUP_COMMANDS } from './backup.ts'
import { EVAL_COMMANDS } from './eval.ts'
import { FILE_COMMANDS } from './files.ts'
import { KEY_COMMANDS } from './keys.ts'
import { MODEL_COMMANDS } from './models.ts'
import { SERVICE_COMMANDS } from './service.ts'
import { STORAGE_COMMANDS } from './storage.ts'
import { TASK_COMMANDS } from './tasks.ts'
import { TENANT_COMMANDS } from './tenants.ts'

/** Every command but the one without a name, which serves. A new command is one entry of one of these lists. */
export const COMMANDS: readonly CommandSpec[] = [
  ...KEY_COMMANDS,
  ...TENANT_COMMANDS,
  ...TASK_COMMANDS,
  ...FILE_COMMANDS,
  ...BACKUP_COMMANDS,
  ...STORAGE_COMMANDS,
  ...SERVICE_COMMANDS,
  ...EVAL_COMMANDS,
  ...MODEL_COMMANDS,
]
