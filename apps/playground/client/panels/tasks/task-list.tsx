import type { ReactElement } from 'react'
import { Icon, IconButton } from '../../components/button.tsx'
import { formatMs } from '../../lib/format.ts'
import { isEnded, KIND_VIEWS, type Phase, PHASE_LABELS, phaseOf, type TaskEntry } from './task-entry.ts'
import { TaskDetail } from './task-detail.tsx'
import type { TasksControl } from './tasks.ts'

/** The tasks, newest first. One is open and shows its result. */
export function TaskList(props: {
  readonly tasks: TasksControl
  /** The open task. */
  readonly selected: string | undefined
  readonly onSelect: (id: string | undefined) => void
}): ReactElement {
  const { tasks, selected, onSelect } = props
  return (
    <section className="stack" aria-label="Tasks">
      <h2>Tasks</h2>
      <ol className="box list">
        {tasks.entries.map((entry) => (
          <Row
            key={entry.id}
            entry={entry}
            tasks={tasks}
            open={entry.id === selected}
            onToggle={() => onSelect(entry.id === selected ? undefined : entry.id)}
          />
        ))}
      </ol>
    </section>
  )
}

interface RowProps {
  readonly entry: TaskEntry
  readonly tasks: TasksControl
  readonly open: boolean
  readonly onToggle: () => void
}

function Row({ entry, tasks, open, onToggle }: RowProps): ReactElement {
  const { id, kind, title, createdAt, tookMs, webhook } = entry
  const phase = phaseOf(tasks.stateOf(id))
  const arrived = tasks.arrivalOf(id) !== undefined
  const view = kind === undefined ? { label: 'Task', icon: 'tasks' as const } : KIND_VIEWS[kind]
  return (
    <li className="task" data-open={open}>
      <div className="row gap-1">
        <button
          type="button"
          className="item row gap-3 grow slim pad-item"
          aria-expanded={open}
          aria-controls={open ? `task-${id}` : undefined}
          onClick={onToggle}
        >
          <Icon name={view.icon} />
          <span className="grid gap-1 grow slim">
            <span className="strong short">{title}</span>
            <span className="hint">
              {view.label} · {new Date(createdAt).toLocaleTimeString()}
              {tookMs === undefined ? '' : ` · ${formatMs(tookMs)}`}
            </span>
          </span>
          {webhook && arrived && (
            <span className="badge wide-only" data-tone="good">
              <Icon name="link" />
              Webhook
            </span>
          )}
          <PhaseBadge phase={phase} />
          <Icon name="chevron" />
        </button>
        {isEnded(phase) ? (
          <IconButton
            icon="cross"
            label={`Remove ${title} from the list`}
            onClick={() => {
              // The address must not bring it back.
              if (open) onToggle()
              tasks.remove(id)
            }}
          />
        ) : (
          <IconButton
            icon="stop"
            label={`Cancel ${title}`}
            disabled={phase === 'unread'}
            onClick={() => tasks.cancel(id)}
          />
        )}
      </div>
      {open && <TaskDetail entry={entry} state={tasks.stateOf(id)} arrival={tasks.arrivalOf(id)} />}
    </li>
  )
}

function PhaseBadge({ phase }: { readonly phase: Phase }): ReactElement {
  const tone = phase === 'done' ? 'good' : phase === 'failed' || phase === 'gone' ? 'bad' : undefined
  return (
    <span className="badge muted" data-tone={tone}>
      {isEnded(phase) ? (
        <Icon name={phase === 'done' ? 'check' : phase === 'cancelled' ? 'stop' : 'warning'} />
      ) : (
        <span className="spinner" aria-hidden="true" />
      )}
      {PHASE_LABELS[phase]}
    </span>
  )
}
