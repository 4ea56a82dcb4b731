import { type CommandSpec, JSON_FLAG, LIMIT_FLAG, listLimit, takes, tenantName } from '../command-spec.ts'

const LIST = { name: 'files list', usage: '<tenant>' }
const SHOW = { name: 'files show', usage: '<tenant> <id>' }
const DELETE = { name: 'files delete', usage: '<tenant> <id>' }

/** Commands about uploaded files. */
export const FILE_COMMANDS: readonly CommandSpec[] = [
  {
    ...LIST,
    meaning: "lists a tenant's uploaded files, the newest first",
    flags: [LIMIT_FLAG, JSON_FLAG],
    read(input) {
      const tenant = tenantName(takes(input, LIST, 1)[0] ?? '')
      const format = { json: input.flags['json'] === true, limit: listLimit(input) }
      return async () => (await import('../files.ts')).listFiles(input.options, tenant, format)
    },
  },
  {
    ...SHOW,
    meaning: 'shows a file as JSON, without its content',
    read(input) {
      const [tenant = '', id = ''] = takes(input, SHOW, 2)
      const name = tenantName(tenant)
      return async () => (await import('../files.ts')).showFile(input.options, name, id)
    },
  },
  {
    ...DELETE,
    meaning: 'deletes a file with its content',
    read(input) {
      const [tenant = '', id = ''] = takes(input, DELETE, 2)
      const name = tenantName(tenant)
      return async () => (await import('../files.ts')).deleteStoredFile(input.options, name, id)
    },
  },
]
