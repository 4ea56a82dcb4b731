import type { Generated } from 'kysely'
import type { WorkClass } from '../../domain/task-kinds.ts'
import type { TaskKind } from '../../ports/task-store.ts'
import type { CommonTables } from '../sql/tables.ts'

/** Tables of the database. Only this service writes them, and they are strict: rows have exactly these types. */
export interface Tables extends CommonTables {
  /** Work to do: a row for each task that has not ended. */
  readonly jobs: {
    readonly sequence: Generated<number>
    readonly task_id: string
    readonly tenant: string
    /** The kind of the task. Empty for a stream. */
    readonly kind: TaskKind | ''
    /** Null for a stream. */
    readonly request: string | null
    readonly input: string | null
    token: number
    attempts: number
    due_ms: number
    lease_ms: number | null
    readonly created_ms: number
    /** Estimated processor time, in milliseconds. */
    readonly cost: number
    /** Crashes of the process while it worked on the task. */
    crashes: Generated<number>
    /** Those of them at which the task ran alone, as a suspect. */
    interruptions: Generated<number>
  }
  /** What the tenant of the last claim had spent before it. */
  readonly work_classes: { readonly work_class: WorkClass; reached: number }
}
