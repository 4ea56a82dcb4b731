import type { Task } from '@svc-audio/core/pure'
import type { ReactElement } from 'react'
import type { WebhookArrival } from '../../../shared/api.ts'
import { CopyButton, DownloadButton, Icon } from '../../components/button.tsx'
import { PlayerBar, useMediaPlayer } from '../../components/player-bar.tsx'
import { FailureBox } from '../../components/states.tsx'
import { formatMs } from '../../lib/format.ts'
import { loadResult, textField } from '../../lib/client.ts'
import { useLoaded } from '../../lib/calls.ts'
import { errorOf, type Phase, phaseOf, type TaskEntry, type TaskState } from './task-entry.ts'

/** The way of a task, and its result. */
export function TaskDetail(props: {
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
  const arrived = arrival === undefined ? '' : `arrived ${new Date(arrival.received_at).toLocaleTimeString()}`
  const steps: Step[] = [
    ['Accepted', 'done', new Date(createdAt).toLocaleTimeString()],
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
