// #region processor
import { Processor, WorkerHost } from '@nestjs/bullmq'
import { AudioClient } from '@svc-audio/core'
import type { Job } from 'bullmq'

/** Input of a job, and the id of its task. */
export interface TranscriptJob {
  readonly fileId: string
  readonly taskId?: string
}

/** Waits for transcriptions of stored files. */
@Processor('transcripts', { concurrency: 20 })
export class TranscriptsProcessor extends WorkerHost {
  constructor(private readonly audio: AudioClient) {
    super()
  }

  async process(job: Job<TranscriptJob>): Promise<string> {
    const task = await this.audio.tasks.wait(await this.#taskOf(job))
    return 'text' in task ? task.text : ''
  }

  /** Creates the task once per job, even if the job runs several times: the job stores the id before the wait. */
  async #taskOf(job: Job<TranscriptJob>): Promise<string> {
    const { fileId, taskId } = job.data
    if (taskId !== undefined) return taskId
    const body = { model: 'svc-transcribe-1.0', file_id: fileId } as const
    // A worker may stop before it stores the id. The next run then gets the same task by the same key.
    // The time keeps keys apart when an emptied Redis counts job ids from 1 again.
    const idempotencyKey = `transcript-${job.timestamp}-${job.id}`
    const { id } = await this.audio.transcriptions.createTask(body, { idempotencyKey })
    await job.updateData({ ...job.data, taskId: id })
    return id
  }
}
// #endregion
