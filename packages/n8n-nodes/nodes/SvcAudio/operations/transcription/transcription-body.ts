import type { TranscriptionSource } from '@svc-audio/core/pure'
import { binaryInput } from '../binary-input.ts'
import { rowsOf } from '../../form/rows.ts'
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
  const refused = ['options.diarize', 'options.keyterms', 'options.speakerNames'].find((path) =>
    needsSpeakers(item, path),
  )
  if (model === PLAIN_MODEL && refused !== undefined) {
    throw form.error(refused, `does not work with the model ${PLAIN_MODEL}`, REMEDY)
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

/** Whether an option is set that only a model that tells speakers apart knows. */
function needsSpeakers({ form }: Item, path: string): boolean {
  if (path === 'options.diarize') return form.boolean(path) === true
  return path === 'options.keyterms' ? form.list(path).length > 0 : rowsOf(form.read(path), 'name').length > 0
}

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
