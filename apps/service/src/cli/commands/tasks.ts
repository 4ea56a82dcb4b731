import { type CommandSpec, JSON_FLAG, LIMIT_FLAG, listLimit, takes, takesNothing, tenantName } from '../command-spec.ts'
import { TASK_STATUSES } from '../../ports/task-store.ts'
import { UsageError } from '../errors.ts'

const LIST = { name: 'tasks list', usage: '<tenant>' }
const SHOW = { name: 'tasks show', usage: '<tenant> <id>' }
const RETRY = { name: 'tasks retry', usage: '<tenant> <id>' }
const CANCEL = { name: 'tasks cancel', usage: '<tenant> <id>' }

const QUEUE = 'queue'

/** Commands about tasks. */
export const TASK_COMMANDS: readonly CommandSpec[] = [
  {
    name: QUEUE,
    meaning: 'shows waiting, running and failed tasks of all tenants, by kind',
    details:
      'Of a long queue of a cluster, amounts are estimates (`about`). Failed tasks are those of the last 24 hours; a cluster counts the newest 100,000 and says `at least`. The last column says `paused`. See `tenants pause`, `tasks cancel` and `tasks retry`.',
    flags: [JSON_FLAG],
    read(input) {
      takesNothing(input, QUEUE)
      const { json } = input.flags
      return async () => (await import('../tasks.ts')).showQueue(input.options, { json: json === true })
    },
  },
  {
    ...LIST,
    meaning: "lists a tenant's tasks, the newest first",
    flags: [
      { name: 'status', value: '<status>', meaning: `only tasks in this state: ${TASK_STATUSES.join(', ')}` },
      LIMIT_FLAG,
      JSON_FLAG,
    ],
    read(input) {
      const tenant = tenantName(takes(input, LIST, 1)[0] ?? '')
      const { status: given, json } = input.flags
      const status = TASK_STATUSES.find((known) => known === given)
      if (given !== undefined && status === undefined) {
        throw new UsageError(`--status must be one of ${TASK_STATUSES.join(', ')}, got ${JSON.stringify(given)}`)
      }
      const query = { limit: listLimit(input), ...(status === undefined ? {} : { status }) }
      return async () =>
        (await import('../tasks.ts')).listTasks(input.options, tenant, { json: json === true, ...query })
    },
  },
  {
    ...SHOW,
    meaning: 'shows a task as JSON: state, error, times, request id and webhook, never its text',
    read(input) {
      const [tenant = '', id = ''] = takes(input, SHOW, 2)
      const name = tenantName(tenant)
      return async () => (await import('../tasks.ts')).showTask(input.options, name, id)
    },
  },
  {
    ...RETRY,
    meaning: 'runs the stored request of a failed task once more, as a new task',
    details:
      'It prints the id of the new task. The webhook of the request is called with that id. Requests of failed tasks are stored for `--failed-request-hours`.',
    read(input) {
      const [tenant = '', id = ''] = takes(input, RETRY, 2)
      const name = tenantName(tenant)
      return async () => (await import('../tasks.ts')).retryTask(input.options, name, id)
    },
  },
  {
    ...CANCEL,
    meaning: 'cancels a task that has not ended',
    details: 'A running service stops its work within ten seconds, and calls its webhook.',
    read(input) {
      const [tenant = '', id = ''] = takes(input, CANCEL, 2)
      const name = tenantName(tenant)
      return async () => (await import('../tasks.ts')).cancelStoredTask(input.options, name, id)
    },
  },
]
