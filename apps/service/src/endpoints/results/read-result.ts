import { defineEndpoint } from '../../http/endpoint.ts'
import { binary } from '../../http/openapi/content.ts'
import { openToAll, RESULT_PATH, ResultParams, ResultQuery, sendResult } from './send-result.ts'

/** `GET /v1/audio/results/{name}`: the URL of a result. */
export const READ_RESULT = defineEndpoint({
  method: 'GET',
  path: RESULT_PATH,
  operationId: 'readResult',
  tag: 'results',
  summary: 'The audio of a result, by its signed link, whole or one byte range',
  description: 'The link is the permission, and no key is needed. Pages of any origin may read it, also in ranges.',
  rules: ['speech-result'],
  access: 'link',
  params: ResultParams,
  query: ResultQuery,
  content: { 'audio/*': binary },
  errors: [404, 416],
  others: {
    206: { description: 'The requested range', content: { 'audio/*': binary } },
    302: { description: 'The address of the audio in the object store of a cluster, for an hour' },
    304: { description: 'Not modified: If-None-Match has its ETag' },
  },
  onRequest: openToAll,
  handle:
    ({ services }) =>
    (request, reply) =>
      sendResult(services, request, reply),
})
