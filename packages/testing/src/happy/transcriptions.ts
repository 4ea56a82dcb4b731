import type { DiarizedTranscription, Transcription, TranscriptionStreamEvent } from '@svc-audio/core'
import { events, json } from '../upstream/reply.ts'
import { type Fields, type HappyResponse, missing, readFields, Refusal, requireTexts, textField } from './fields.ts'
import type { World } from './world.ts'

const STANDARD = 'svc-transcribe-1.0'

/** `POST /v1/audio/transcriptions` */
export const transcription: HappyResponse = ({ world, request }) => {
  const fields = readFields(request)
  requireTexts(fields, 'model')
  const file = request.form?.files.some(({ field }) => field === 'file') === true
  if (!file && ['file_id', 'url', 'audio_url'].every((name) => textField(fields, name, '') === ''))
    throw missing('file')
  checkKeyterms(fields)
  const fileId = textField(fields, 'file_id', '')
  if (fileId !== '' && !world.files.some(({ id }) => id === fileId)) {
    throw new Refusal(404, 'file_not_found', 'file_id', `There is no file ${fileId}`)
  }
  const result = transcribe(world, fields)
  if (fields['stream'] === true) return events(transcriptionEvents(world, fields))
  if (fields['async'] === true) {
    const webhookUrl = textField(fields, 'webhook_url', '')
    const hook = webhookUrl === '' ? {} : { webhookUrl }
    return json(world.tasks.create({ object: 'audio.transcription', result: () => result, ...hook }))
  }
  if (fields['response_format'] !== 'text') return json(result)
  return { headers: { 'content-type': 'text/plain; charset=utf-8' }, body: result.text }
}

/** Interface: transcription parameter errors. */
function checkKeyterms({ keyterms = [], model }: Fields): void {
  if (!Array.isArray(keyterms) || keyterms.some((term) => typeof term !== 'string')) {
    throw new Refusal(400, 'invalid_type', 'keyterms', 'must be an array of strings')
  }
  if (model === STANDARD && keyterms.length > 0) {
    throw new Refusal(400, 'unsupported_for_model', 'keyterms', `does not work with ${STANDARD}`)
  }
}

function transcribe({ options }: World, { model, diarize = model !== STANDARD }: Fields): Transcription {
  const { transcript, segments } = options
  if (diarize !== true) return { text: transcript }
  const text = segments.map((segment) => segment.text).join(' ')
  const diarized: DiarizedTranscription = { task: 'transcribe', duration: segments.at(-1)?.end ?? 0, text, segments }
  return diarized
}

/** Interface: Transcription events. */
function transcriptionEvents(world: World, fields: Fields): TranscriptionStreamEvent[] {
  const model = textField(fields, 'model', '')
  if (model === STANDARD) throw new Refusal(400, 'unsupported_stream', 'stream', `${STANDARD} does not stream`)
  const { segments } = world.options
  const text = segments.map((segment) => segment.text).join(' ')
  const task = { object: 'audio.transcription', status: 'PROCESSING' } as const
  const { task_id } = world.tasks.create({ ...task, result: () => transcribe(world, fields) })
  const words = text.match(/\S+\s*/g) ?? []
  const usage = { prompt_tokens: 10, completion_tokens: words.length, total_tokens: 10 + words.length }
  return [
    { type: 'task.created', task_id, ...task, model },
    ...words.map((delta) => ({ type: 'transcript.text.delta', delta }) as const),
    ...segments.map(({ speaker, text: said }, content_index) => {
      return { type: 'transcript.segment.done', content_index, speaker, text: said } as const
    }),
    { type: 'transcript.text.done', text, usage },
  ]
}
