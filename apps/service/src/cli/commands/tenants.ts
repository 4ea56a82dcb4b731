import { type CommandSpec, JSON_FLAG, takes, takesNothing, tenantName } from '../command-spec.ts'

const SUSPEND = { name: 'tenants suspend', usage: '<tenant>' }
const PAUSE = { name: 'tenants pause', usage: '<tenant>' }
const DELETE = { name: 'tenants delete', usage: '<tenant>' }
const YES_FLAG = { name: 'yes', meaning: 'does not ask' }
const RESUME = { name: 'tenants resume', usage: '<tenant>' }
const EXPORT = { name: 'tenants export', usage: '<tenant> <folder>' }
const VOICE = { name: 'voices delete', usage: '<tenant> <id>' }

/** Commands about tenants and what they own. */
export const TENANT_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'tenants list',
    meaning: 'lists all tenants with numbers of keys, tasks, files, voices and bytes',
    details:
      'A cluster counts up to 1,000 of each, with more than 300 tenants fewer, and says for example `over 1000`. The last column says `suspended` and `paused`.',
    flags: [JSON_FLAG],
    read(input) {
      takesNothing(input, 'tenants list')
      const json = input.flags['json'] === true
      return async () => (await import('../tenants.ts')).listTenants(input.options, { json })
    },
  },
  {
    ...SUSPEND,
    meaning: 'refuses the requests of a tenant',
    details: 'The service answers them with 403 within a second. Accepted tasks of the tenant still run.',
    read(input) {
      const tenant = tenantName(takes(input, SUSPEND, 1)[0] ?? '')
      return async () => (await import('../tenants.ts')).suspendTenant(input.options, tenant)
    },
  },
  {
    ...PAUSE,
    meaning: 'leaves the accepted tasks of a tenant in the queue',
    details: 'The service still accepts requests of the tenant. Running tasks end.',
    read(input) {
      const tenant = tenantName(takes(input, PAUSE, 1)[0] ?? '')
      return async () => (await import('../tenants.ts')).pauseTenant(input.options, tenant)
    },
  },
  {
    ...RESUME,
    meaning: 'ends a suspension and a pause',
    read(input) {
      const tenant = tenantName(takes(input, RESUME, 1)[0] ?? '')
      return async () => (await import('../tenants.ts')).resumeTenant(input.options, tenant)
    },
  },
  {
    ...DELETE,
    meaning: 'deletes everything of a tenant: keys, secrets, tasks, results, files, voices and usage',
    details:
      'It asks for the name of the tenant, unless `--yes` is given. The service refuses requests of the tenant first. The audit log keeps its records and has one of the deletion. `tenants export` makes a copy before.',
    flags: [YES_FLAG],
    read(input) {
      const tenant = tenantName(takes(input, DELETE, 1)[0] ?? '')
      const yes = input.flags['yes'] === true
      return async () => {
        const { confirmation } = await import('../tenants.ts')
        return (await import('../tenants.ts')).deleteTenant(input.options, tenant, confirmation(tenant, { yes }))
      }
    },
  },
  {
    ...EXPORT,
    meaning: 'copies files, voices, tasks, results, usage and audit records of a tenant into a new or empty folder',
    details: 'It copies no keys and no secrets. The audit log has a record of the export.',
    read(input) {
      const [tenant = '', folder = ''] = takes(input, EXPORT, 2)
      const name = tenantName(tenant)
      return async () => (await import('../tenants.ts')).exportTenant(input.options, name, folder)
    },
  },
  {
    ...VOICE,
    meaning: "deletes a tenant's own voice",
    read(input) {
      const [tenant = '', id = ''] = takes(input, VOICE, 2)
      const name = tenantName(tenant)
      return async () => (await import('../tenants.ts')).deleteVoice(input.options, name, id)
    },
  },
]
