import { type CommandSpec, takes } from '../command-spec.ts'

const BACKUP = { name: 'backup', usage: '<folder>' }
const VERIFY = { name: 'backup verify', usage: '<folder>' }
const RESTORE = { name: 'restore', usage: '<folder of a backup>' }

/** Commands that copy everything of a folder. */
export const BACKUP_COMMANDS: readonly CommandSpec[] = [
  {
    ...BACKUP,
    meaning: 'copies everything of the data folder into a new or empty folder',
    details: 'The copy has the state of one moment, also beside a running service. Each file is compared.',
    flags: [{ name: 'without-secret-key', meaning: 'leaves out secret.key, which opens the stored secrets' }],
    read(input) {
      const [folder = ''] = takes(input, BACKUP, 1)
      const withoutSecretKey = input.flags['without-secret-key'] === true
      return async () =>
        (await import('../backup/backup-folder.ts')).backupFolder(input.options, folder, { withoutSecretKey })
    },
  },
  {
    ...VERIFY,
    meaning: 'compares every file of a backup with its manifest',
    read(input) {
      const [folder = ''] = takes(input, VERIFY, 1)
      return async () => (await import('../backup/restore-folder.ts')).verifyBackup(folder)
    },
  },
  {
    ...RESTORE,
    meaning: 'copies a backup into the new or empty folder of --data-dir',
    read(input) {
      const [folder = ''] = takes(input, RESTORE, 1)
      return async () => (await import('../backup/restore-folder.ts')).restoreFolder(input.options, folder)
    },
  },
]
