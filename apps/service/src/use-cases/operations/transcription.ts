import { z } from 'zod'
import { ServiceError } from '../../domain/service-error.ts'
import { transcribe } from '../transcription/transcribe.ts'
import { NamedSource } from '../transcription/transcription-rules.ts'
import { withSource } from '../transcription/transcription-source.ts'
import type { TaskOperation } from './operation.ts'

/** The stored request of a task. The defaults are for tasks of older versions. */
const TranscriptionRequest = z.object({
  diarize: z.boolean().default(false),
  keyterms: z.array(z.string()).default([]),
  /** Without a source, the task uses its input object. */
  source: NamedSource.optional(),
})

/** `POST /v1/audio/transcriptions`, as a task. Its route is separate: it accepts forms, sources and streams. */
export const TRANSCRIPTION: TaskOperation = {
  object: 'audio.transcription',
  engine: 'recognition',
  request: TranscriptionRequest,
  async performTask(services, claim, task) {
    const { source, ...work } = TranscriptionRequest.parse(claim.request)
    const options = { tenant: claim.task.tenant, ...task }
    const perform = (path: string) => transcribe(services, path, work, options)
    if (source !== undefined) return { source, result: { ...(await withSource(services, source, options, perform)) } }
    if (claim.input === undefined) throw new TypeError('A transcription task has no input')
    const result = await services.inputs.withFile(claim.input, perform)
    if (result === undefined) {
      throw new ServiceError(404, 'input_not_found', 'The file to transcribe was deleted')
    }
    return { result: { ...result } }
  },
}
