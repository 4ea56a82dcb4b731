import type { Task } from '@svc-audio/core/pure'
import type { ReactElement } from 'react'
import type { WebhookArrival } from '../../../shared/api.ts'
import { CopyButton, DownloadButton, Icon, IconButton } from '../../components/button.tsx'
import { PlayerBar, useMediaPlayer } from '../../components/player-bar.tsx'
import { FailureBox } from '../../components/states.tsx'
import { useLoaded } from '../../lib/calls.ts'
import { loadResult, textField } from '../../lib/client.ts'
import { formatMoment, formatMs } from '../../lib/format.ts'
import {
  errorOf,
  isEnded,
  KIND_VIEWS,
  type Phase,
  PHASE_LABELS,
  phaseOf,
  type TaskEntry,
  type TasksControl,
  type TaskState,
} from './tasks.ts'

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
              {view.label} · {formatMoment(createdAt)}
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

/** The way of a task, and its result. */
function TaskDetail(props: {
  readonly entry: TaskEntry
  readonly state: TaskState
  readonly arrival: WebhookArrival | undefined
}): ReactElement {
  const { entry, state, arrival } = props
  const { id } = entry
  const { task, failure } = state
  const phase = phaseOf(state)
  const { code, message = 'The service gives no reason.' } = task === undefined ? {} : errorOf(task)
  return (
    <div className="grid gap-4 pad-5" id={`task-${id}`}>
      {phase !== 'gone' && phase !== 'unread' && <Steps steps={stepsOf(entry, phase, arrival)} />}
      {phase === 'gone' ? (
        <p className="muted">
          The service does not know this task. It deletes old tasks, and the local service starts empty.
        </p>
      ) : (
        <FailureBox failure={failure} />
      )}
      {phase === 'failed' && <FailureBox failure={{ message, code, requestId: undefined, lost: false }} />}
      {task !== undefined && phase === 'done' && <Result task={task} />}
      <p className="task-id row gap-2 muted tiny">
        <code className="breaks">{id}</code>
        <CopyButton text={id} what="the id of the task" />
      </p>
    </div>
  )
}

type StepState = 'done' | 'now' | 'bad' | 'next'
type Step = readonly [name: string, state: StepState, note: string]

/** What the task has passed, and what is ahead. */
function stepsOf({ createdAt, tookMs, webhook }: TaskEntry, phase: Phase, arrival?: WebhookArrival): readonly Step[] {
  const ended = phase === 'done' || phase === 'failed' || phase === 'cancelled'
  const end = phase === 'failed' ? 'Failed' : phase === 'cancelled' ? 'Cancelled' : 'Done'
  const called = arrival === undefined ? (ended ? 'now' : 'next') : 'done'
  const arrived = arrival === undefined ? '' : `arrived ${formatMoment(arrival.received_at)}`
  const steps: Step[] = [
    ['Accepted', 'done', formatMoment(createdAt)],
    ['Processing', ended ? 'done' : phase === 'working' ? 'now' : 'next', ''],
    [end, phase === 'done' ? 'done' : ended ? 'bad' : 'next', tookMs === undefined ? '' : `after ${formatMs(tookMs)}`],
  ]
  return webhook ? [...steps, ['Webhook', called, arrived]] : steps
}

function Steps({ steps }: { readonly steps: readonly Step[] }): ReactElement {
  return (
    <ol className="task-steps grid gap-2" aria-label="Progress">
      {steps.map(([name, state, note]) => (
        <li key={name} className="task-step" data-tone={STEP_TONES[state]}>
          <span className="row gap-2 small strong">
            {state === 'done' && <Icon name="check" />}
            {state === 'bad' && <Icon name="cross" />}
            {state === 'now' && <span className="spinner" aria-hidden="true" />}
            <span className="task-step-name">
              {name}
              <span className="visually-hidden">{STEP_WORDS[state]}</span>
            </span>
          </span>
          <span className="hint">{note}</span>
        </li>
      ))}
    </ol>
  )
}

const STEP_TONES = { done: 'good', now: undefined, bad: 'bad', next: undefined } as const
const STEP_WORDS: Readonly<Record<StepState, string>> = { done: '', now: ', now', bad: '', next: ', not yet' }

function Result({ task }: { readonly task: Task }): ReactElement {
  const text = textField(task, 'text')
  const url = textField(task, 'url')
  if (text !== undefined) {
    return (
      <div className="field">
        <div className="row between gap-3">
          <h3>Transcript</h3>
          <CopyButton text={text} what="the transcript" />
        </div>
        <p className="task-transcript transcript-text large breaks">
          {text === '' ? <span className="faint">No speech</span> : text}
        </p>
      </div>
    )
  }
  if (url !== undefined) return <Audio url={url} format={textField(task, 'response_format') ?? 'mp3'} />
  return <p className="muted">The service names no audio and no text in this result.</p>
}

/** The audio of a result. Its bytes are loaded for the waveform and the download. */
function Audio({ url, format }: { readonly url: string; readonly format: string }): ReactElement {
  // The address is new in each response. Its path is the result.
  const audio = useLoaded((signal) => loadResult(url, signal), url.split('?')[0])
  const { data } = audio
  const player = useMediaPlayer(data)
  return (
    <>
      <FailureBox failure={audio.failure} onRetry={audio.reload} />
      <PlayerBar player={player} label="the result">
        <DownloadButton file={data === undefined ? undefined : () => data} name={`task.${format}`} small />
      </PlayerBar>
    </>
  )
}
