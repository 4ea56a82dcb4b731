/** `retry_after` of an unfinished task in seconds, the interface's minimum. */
const RETRY_AFTER_SECONDS = 1

/** Tasks that end after the number of polls in their id: `task-<number>-<reads>`. Counts early polls. */
export class TaskBook {
  earlyReads = 0
  finishedTasks = 0
  readonly #tasks = new Map<string, { reads: number; notBefore: number }>()

  /** One poll. @returns the task as JSON */
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
