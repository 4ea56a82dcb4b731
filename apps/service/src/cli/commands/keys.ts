import { type CommandSpec, JSON_FLAG, optionalNumber, takes, takesNothing, tenantName } from '../command-spec.ts'
import { UsageError } from '../errors.ts'

/** Time that a replaced key or secret still works, in hours. */
const GRACE_HOURS = 24

const CREATE = { name: 'keys create', usage: '<tenant> [<days>]' }
const ROTATE = { name: 'keys rotate', usage: '<id> [<hours>]' }
const DELETE = { name: 'keys delete', usage: '<id>, which keys list shows' }
const SECRET = { name: 'webhook-secret', usage: '<tenant> [rotate [<hours>]]' }
const LINKS = { name: 'links rotate', usage: '[<hours>]' }

/** Commands about keys and secrets. */
export const KEY_COMMANDS: readonly CommandSpec[] = [
  {
    ...CREATE,
    meaning: 'makes a key and shows it once; it may expire',
    details:
      'The service stores only the hash of the key. Without days the key does not expire. A tenant has at most 100 keys.',
    read(input) {
      const [tenant = '', days] = takes(input, CREATE, 1, 2)
      const name = tenantName(tenant)
      const lifetime = optionalNumber(days, 'days', 1)
      return async () => (await import('../keys.ts')).createKey(input.options, name, lifetime)
    },
  },
  {
    ...ROTATE,
    meaning: 'makes another key; the old one works for 24 or these hours',
    read(input) {
      const [id = '', hours] = takes(input, ROTATE, 1, 2)
      const grace = optionalNumber(hours, 'hours') ?? GRACE_HOURS
      return async () => (await import('../keys.ts')).rotateKey(input.options, id, grace)
    },
  },
  {
    name: 'keys list',
    meaning: 'lists ids, tenants, times, expiry and last use of the stored keys',
    flags: [JSON_FLAG],
    read(input) {
      takesNothing(input, 'keys list')
      return async () => (await import('../keys.ts')).listKeys(input.options, { json: input.flags['json'] === true })
    },
  },
  {
    ...DELETE,
    usage: '<id>',
    meaning: 'deletes a key; the service refuses it from then on',
    read(input) {
      const [id = ''] = takes(input, DELETE, 1)
      return async () => (await import('../keys.ts')).deleteKey(input.options, id)
    },
  },
  {
    ...SECRET,
    meaning: "shows the secret that signs the tenant's webhooks, or replaces it",
    details: 'After a rotation both secrets sign for 24 or these hours.',
    read(input) {
      const [tenant = '', verb, hours] = takes(input, SECRET, 1, 3)
      if (verb !== undefined && verb !== 'rotate') throw new UsageError(`${SECRET.name} needs: ${SECRET.usage}`)
      const name = tenantName(tenant)
      const grace = optionalNumber(hours, 'hours') ?? GRACE_HOURS
      const { options } = input
      if (verb === undefined) {
        return async () => (await import('../keys.ts')).readWebhookSecret(options, name)
      }
      return async () => (await import('../keys.ts')).rotateWebhookSecret(options, name, grace)
    },
  },
  {
    ...LINKS,
    meaning: 'replaces the secret of links to results; former links work for 24 or these hours',
    read(input) {
      const [hours] = takes(input, LINKS, 0, 1)
      const grace = optionalNumber(hours, 'hours') ?? GRACE_HOURS
      return async () => (await import('../keys.ts')).rotateLinks(input.options, grace)
    },
  },
]
