import { extname } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { contentTypeOf, isAudioFormat } from '../domain/formats.ts'
import { RESULTS_PATH } from '../domain/result-links.ts'
import { ServiceError } from '../domain/service-error.ts'
import type { Services } from '../services.ts'

const ResultParams = z.object({ name: z.string() })
const ResultQuery = z.object({ expires: z.string().default(''), signature: z.string().default('') })

/** Results by their signed links; no key, since the link itself is the permission. */
export function resultRoutes(app: FastifyInstance, { results, links }: Services): void {
  app
    .withTypeProvider<ZodTypeProvider>()
    .get(
      `${RESULTS_PATH}/:name`,
      { schema: { params: ResultParams, querystring: ResultQuery } },
      async ({ params: { name }, query }, reply) => {
        const valid = links.verify(name, query.expires, query.signature)
        const object = valid ? await results.open(name) : undefined
        if (object === undefined) {
          throw new ServiceError(404, 'result_not_found', 'There is no such result, or its link has expired')
        }
        const format = extname(name).slice(1)
        return reply
          .header('content-type', isAudioFormat(format) ? contentTypeOf(format) : 'application/octet-stream')
          .header('content-length', object.bytes)
          .send(object.stream)
      },
    )
}
