import { findModel, listModels, OPENAI_MODELS } from '../../domain/models.ts'
import { defineEndpoint, json } from '../../http/endpoint.ts'
import { ModelListResponse } from '../models/list-models.ts'
import { isServed } from './names.ts'

/** `GET /openai/v1/models`. */
export const LIST_OPENAI_MODELS = defineEndpoint({
  method: 'GET',
  path: '/openai/v1/models',
  operationId: 'listOpenaiModels',
  tag: 'openai',
  summary: 'Every name of a model that this API accepts, as OpenAI lists them',
  description: "An addition to the interface. Our ids, and OpenAI's names for them.",
  rules: { page: 'docs/openai-api.md' },
  door: 'openai',
  isList: true,
  content: json(ModelListResponse),
  handle() {
    // The models never change while the program runs.
    const own = listModels().filter(({ id }) => isServed(findModel(id)))
    const [first] = own
    const named = [...OPENAI_MODELS.keys()].map((id) => Object.assign({}, first, { id }))
    const list = JSON.stringify({ object: 'list', data: [...own, ...named] })
    return (_request, reply) => reply.type('application/json; charset=utf-8').send(list)
  },
})
