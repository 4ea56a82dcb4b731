import { z } from 'zod'
import { findModel, listModels } from '../../domain/models.ts'
import { defineEndpoint, json } from '../../http/endpoint.ts'
import { ModelListResponse } from '../models/list-models.ts'
import { modelOf } from './names.ts'

/** `GET /openai/v1/models/{model}`. */
export const RETRIEVE_OPENAI_MODEL = defineEndpoint({
  method: 'GET',
  path: '/openai/v1/models/:model',
  operationId: 'retrieveOpenaiModel',
  tag: 'openai',
  summary: 'A model of the service',
  description: "An addition to the interface. One of OpenAI's names gives the model that stands for it.",
  rules: { page: 'docs/openai-api.md' },
  door: 'openai',
  params: z.object({ model: z.string() }),
  content: json(ModelListResponse.shape.data.element),
  errors: [404],
  handle: () => {
    const models = new Map(listModels().map((model) => [model.id, model]))
    return ({ params }) => models.get(findModel(modelOf(params.model)).id)
  },
})
