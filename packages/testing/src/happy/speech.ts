import { type Fields, readFields, requireList, requireTexts, textField } from './fields.ts'
import type { HappyResponse } from './happy-call.ts'
import { Refusal } from './refusal.ts'
import { speechStreamReply } from './speech-stream.ts'
import { spokenReply } from './spoken.ts'

/** `POST /v1/audio/speech` */
export const speech: HappyResponse = ({ world, request }) => {
  const fields = readFields(request)
  requireTexts(fields, 'model', 'input')
  if (fields['stream'] === true) return speechStreamReply(world, fields)
  requireTexts(fields, 'voice_id')
  return spokenReply(world, fields, 'audio.speech')
}

/** `POST /v1/audio/speech/speakers` */
export const dialogue: HappyResponse = ({ world, request }) => {
  const fields = readFields(request)
  requireTexts(fields, 'model')
  requireList(fields, 'speakers')
  requireList(fields, 'segments')
  checkSpeakers(fields)
  return spokenReply(world, fields, 'audio.speech')
}

/** `POST /v1/audio/voice/generations` */
export const voiceGeneration: HappyResponse = ({ world, request }) => {
  const fields = readFields(request)
  requireTexts(fields, 'model', 'input', 'instruction')
  return spokenReply(world, fields, 'audio.voice_generation', textField(fields, 'model', ''))
}

/** Interface: `segments[].speaker` must equal one of `speakers[].id`. */
function checkSpeakers({ speakers, segments }: Fields): void {
  const ids = new Set(column(speakers, 'id'))
  const unknown = column(segments, 'speaker').findIndex((speaker) => !ids.has(speaker))
  if (unknown === -1) return
  throw new Refusal(400, 'unknown_speaker', `segments[${unknown}].speaker`, 'must be the id of one of speakers')
}

function column(rows: unknown, name: string): unknown[] {
  if (!Array.isArray(rows)) return []
  return rows.map((row: unknown) => (typeof row === 'object' && row !== null ? Reflect.get(row, name) : undefined))
}
