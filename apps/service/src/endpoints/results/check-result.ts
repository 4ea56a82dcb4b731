import { defineEndpoint } from '../../http/endpoint.ts'
import { openToAll, RESULT_PATH, ResultParams, ResultQuery, sendResult } from './read-result.ts'

/** `HEAD /v1/audio/results/{name}`. */
export const CHECK_RESULT = defineEndpoint({
  method: 'HEAD',
  path: RESULT_PATH,
  operationId: 'checkResult',
  tag: 'results',
  summary: 'Size, type and ETag of a result or of one byte range, by its signed link',
  description: 'The headers of the audio without its bytes.',
  rules: { page: 'apps/service/docs/api-behaviour.md' },
  access: 'link',
  params: ResultParams,
  query: ResultQuery,
  errors: [404, 416],
  others: {
    206: { description: 'The requested range exists' },
    304: { description: 'Not modified: If-None-Match has its ETag' },
  },
  onRequest: openToAll,
  handle:
    ({ services }) =>
    (request, reply) =>
      sendResult(services, request, reply),
})
