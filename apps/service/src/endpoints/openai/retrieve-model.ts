import { z } from 'zod'
import { findModel, listModels } from '../../domain/models.ts'
import { defineEndpoint, json, named } from '../../http/endpoint.ts'
import type { Services } from '../../services.ts'
import { ModelListResponse } from '../models/list-models.ts'
import { modelOf } from './names.ts'

/** A model, with what servers in the shape of speaches tell of it. */
const OpenaiModel = named(
  'OpenaiModel',
  ModelListResponse.shape.data.element.extend({
    root: z.string().optional().describe('The model that stands for a name of OpenAI'),
    task: z.enum(['text-to-speech', 'automatic-speech-recognition']).optional(),
    voices: z
      .array(
        named(
          'OpenaiModelVoice',
          z.object({
            name: z.string(),
            language: z.string(),
            gender: z.enum(['female', 'male', 'neutral']).optional(),
          }),
        ),
      )
      .optional(),
  }),
)

/** `GET /openai/v1/models/{model}`. */
export const RETRIEVE_OPENAI_MODEL = defineEndpoint({
  method: 'GET',
  path: '/openai/v1/models/:model',
  operationId: 'retrieveOpenaiModel',
  tag: 'openai',
  summary: 'A model of the service',
  description:
    "An addition to the interface. Accepts our ids and OpenAI's names. A model that speaks has the voices of the service.",
  rules: { page: 'docs/openai-api.md' },
  door: 'openai',
  isList: true,
  params: z.object({ model: z.string() }),
  content: json(OpenaiModel),
  errors: [404],
  handle: ({ services }) => {
    const models = new Map(listModels().map((model) => [model.id, model]))
    return ({ params: { model: id } }) => {
      const { id: root, kind } = findModel(modelOf(id))
      const model = models.get(root)
      return { ...model, id, ...(id === root ? {} : { root }), ...aboutKind(services, kind) }
    }
  },
})

function aboutKind({ engines: { speech } }: Services, kind: string): object {
  if (kind === 'transcription') return { task: 'automatic-speech-recognition' }
  if (kind !== 'speech') return {}
  const voices = speech.voices.map(({ id: name, language, gender }) => ({
    name,
    language,
    ...(gender === undefined ? {} : { gender }),
  }))
  return { task: 'text-to-speech', voices }
}
