import type { TranscriptionSource } from '@svc-audio/core/pure'
import { binaryInput } from '../binary-input.ts'
import type { Item } from '../item.ts'
import { PLAIN_MODEL } from './fields.ts'

/** What every request for a transcription holds. */
export type RecognitionBody = TranscriptionSource & { model: string; diarize?: boolean; keyterms?: string[] }

/** The request that the form describes. Only what was set is sent: the rest is the service's choice. */
export async function recognitionBody(item: Item): Promise<RecognitionBody> {
  const { form } = item
  const model = form.required('model')
  const diarize = form.boolean('options.diarize')
  const keyterms = form.list('options.keyterms')
  if (model === PLAIN_MODEL && diarize === true) {
    throw form.error('options.diarize', `does not work with the model ${PLAIN_MODEL}`, REMEDY)
  }
  return {
    model,
    ...(diarize === undefined ? {} : { diarize }),
    ...(keyterms.length === 0 ? {} : { keyterms }),
    ...(await source(item)),
  }
}

/** For what the plain model does not know. */
export const REMEDY = 'Choose the model svc-transcribe-diarize-pro, or remove the option.'

/** The recording, as the one field of the request that carries it. */
async function source(item: Item): Promise<TranscriptionSource> {
  const { form } = item
  switch (form.choice('source')) {
    case 'url':
      return { url: form.required('url') }
    case 'fileId':
      return { file_id: form.required('fileId') }
    default:
      return { file: await binaryInput(item) }
  }
}
