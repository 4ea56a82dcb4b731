import { defineEndpoint } from '../../http/endpoint.ts'
import { openToAll, RESULT_PATH, ResultParams } from './read-result.ts'

const PREFLIGHT = {
  'access-control-allow-methods': 'GET, HEAD',
  'access-control-allow-headers': 'range, if-range, if-none-match',
  'access-control-max-age': '86400',
}

/** `OPTIONS /v1/audio/results/{name}`. */
export const PREFLIGHT_RESULT = defineEndpoint({
  method: 'OPTIONS',
  path: RESULT_PATH,
  operationId: 'preflightResult',
  tag: 'results',
  summary: 'The methods and headers that pages of any origin may use (CORS)',
  description: 'Browsers ask this before they read a result from another origin.',
  rules: { page: 'apps/service/docs/api-behaviour.md' },
  access: 'link',
  params: ResultParams,
  status: 204,
  onRequest: openToAll,
  handle: () => (_request, reply) => reply.code(204).headers(PREFLIGHT).send(),
})
