import { type CommandSpec, JSON_FLAG, takesNothing } from '../command-spec.ts'

/** Commands about stored data after a loss. */
export const STORAGE_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'orphans list',
    meaning: 'lists stored objects that have no row in the database',
    details: 'There are some if the database has lost rows. Objects younger than an hour are not listed.',
    flags: [JSON_FLAG],
    read(input) {
      takesNothing(input, 'orphans list')
      const json = input.flags['json'] === true
      return async () => (await import('../mend-storage.ts')).listOrphans(input.options, { json })
    },
  },
  {
    name: 'orphans delete',
    meaning: 'deletes them',
    read(input) {
      takesNothing(input, 'orphans delete')
      return async () => (await import('../mend-storage.ts')).deleteOrphans(input.options)
    },
  },
  {
    name: 'database accept',
    meaning: 'lets a stopped service start with a database that has lost rows; deletes nothing',
    read(input) {
      takesNothing(input, 'database accept')
      return async () => (await import('../mend-storage.ts')).acceptDatabase(input.options)
    },
  },
  {
    name: 'secrets reset',
    meaning: 'deletes the secrets of webhooks and links of a stopped service whose secret.key is lost',
    read(input) {
      takesNothing(input, 'secrets reset')
      return async () => (await import('../mend-storage.ts')).resetSecrets(input.options)
    },
  },
]
