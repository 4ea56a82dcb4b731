/** Seconds that a task which is not over asks a client to wait, the least that the interface can say. */
const RETRY_AFTER_SECONDS = 1

/** Tasks that are over after as many reads as their id says: `task-<number>-<reads>`. It counts reads that come early. */
export class TaskBook {
  earlyReads = 0
  finishedTasks = 0
  readonly #tasks = new Map<string, { reads: number; notBefore: number }>()

  /** One read. @returns the task as JSON */
  read(id: string): string {
    const task = this.#tasks.get(id) ?? { reads: 0, notBefore: 0 }
    this.#tasks.set(id, task)
    const now = performance.now()
    if (now < task.notBefore) this.earlyReads += 1
    task.reads += 1
    task.notBefore = now + RETRY_AFTER_SECONDS * 1000
    const over = task.reads >= Number(id.split('-')[2])
    if (over) this.finishedTasks += 1
    const state = over
      ? { status: 'SUCCESS', url: `http://127.0.0.1/results/${id}`, response_format: 'mp3', content_type: 'audio/mpeg' }
      : { status: 'PROCESSING', retry_after: RETRY_AFTER_SECONDS }
    return JSON.stringify({
      id,
      object: 'audio.speech',
      created_at: 1_767_225_600,
      updated_at: 1_767_225_601,
      ...state,
    })
  }
}
