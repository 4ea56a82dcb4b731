import { z } from 'zod'
import { listModels } from '../../domain/models.ts'
import { defineEndpoint, json, unixSeconds, named } from '../../http/endpoint.ts'

/** All models. */
export const ModelListResponse = named(
  'ModelList',
  z.looseObject({
    object: z.literal('list'),
    data: z.array(
      named(
        'Model',
        z.looseObject({ id: z.string(), object: z.literal('model'), created: unixSeconds, owned_by: z.string() }),
      ),
    ),
  }),
)

/** `GET /v1/models`. */
export const LIST_MODELS = defineEndpoint({
  method: 'GET',
  path: '/v1/models',
  operationId: 'listModels',
  tag: 'models',
  summary: 'Every model of the service',
  description: 'Names of models are exact. A name without a date is the current version.',
  rules: ['model-listing', 'models'],
  content: json(ModelListResponse),
  handle() {
    // The models never change while the program runs.
    const list = JSON.stringify({ object: 'list', data: listModels() })
    return (_request, reply) => reply.type('application/json; charset=utf-8').send(list)
  },
})
