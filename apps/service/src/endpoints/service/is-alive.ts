import { defineEndpoint, json } from '../../http/endpoint.ts'
import { HealthResponse } from './is-ready.ts'

/** `GET /healthz`: the process runs. Probes have no key. */
export const IS_ALIVE = defineEndpoint({
  method: 'GET',
  path: '/healthz',
  operationId: 'isAlive',
  tag: 'service',
  summary: 'Answers while the process lives',
  description: 'For the restart of a process that hangs. It asks neither the database nor the engines.',
  rules: { page: 'apps/service/docs/operations.md' },
  access: 'open',
  content: json(HealthResponse),
  handle: () => () => ({ status: 'ok' }),
})
