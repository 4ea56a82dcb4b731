import { listModels } from '../../domain/models.ts'
import { defineEndpoint, json } from '../../http/endpoint.ts'
import { ModelListResponse } from '../models/list-models.ts'

/** `GET /openai/v1/models`. */
export const LIST_OPENAI_MODELS = defineEndpoint({
  method: 'GET',
  path: '/openai/v1/models',
  operationId: 'listOpenaiModels',
  tag: 'openai',
  summary: 'Every model of the service, as OpenAI lists them',
  description: "An addition to the interface. The audio calls also take OpenAI's names of models.",
  rules: { page: 'docs/openai-api.md' },
  door: 'openai',
  content: json(ModelListResponse),
  handle() {
    // The models never change while the program runs.
    const list = JSON.stringify({ object: 'list', data: listModels() })
    return (_request, reply) => reply.type('application/json; charset=utf-8').send(list)
  },
})
