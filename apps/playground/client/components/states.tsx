import { type ReactElement, type ReactNode, useState } from 'react'
import type { Failure, Loaded } from '../lib/calls.ts'
import { Button, Icon, type IconName } from './button.tsx'
import type { ExchangeLog } from '../inspector/exchange.ts'
import { formatBytes } from '../lib/format.ts'
import { useFrames } from '../lib/store.ts'

/** A place without content yet, and what brings some. */
export function Empty(props: {
  readonly icon: IconName
  readonly title: string
  /** What to do. */
  readonly children?: ReactNode
}): ReactElement {
  const { icon, title, children } = props
  return (
    <div className="empty grid gap-2 centered">
      <span data-tone="good">
        <Icon name={icon} />
      </span>
      <p className="strong">{title}</p>
      {children !== undefined && <div className="muted">{children}</div>}
    </div>
  )
}

/** Content that loads. */
export function Loading({ label }: { readonly label: string }): ReactElement {
  return (
    <div className="row gap-3 muted small" role="status">
      <span className="spinner" aria-hidden="true" />
      {label}
    </div>
  )
}

/** The state of a panel in a sentence. Screen readers announce each change. */
export function StatusLine({ text }: { readonly text: string }): ReactElement {
  return (
    <p className="hint" role="status">
      {text}
    </p>
  )
}

/** Why something is refused, in words. Nothing to say shows nothing. */
export function ErrorText({ children }: { readonly children: ReactNode }): ReactElement | false {
  return (
    children !== undefined && (
      <p className="small breaks" data-tone="bad" role="alert">
        {children}
      </p>
    )
  )
}

/** Why a call failed, in the service's own words, with its code. */
export function FailureBox(props: {
  /** `undefined` shows nothing. The region stays, so that screen readers announce a failure. */
  readonly failure: Failure | undefined
  /** Shows a Retry button. */
  readonly onRetry?: (() => void) | undefined
}): ReactElement {
  const { failure, onRetry } = props
  const codes = [failure?.code, failure?.requestId].filter((part) => part !== undefined)
  return (
    <div role="alert" className="failure-region">
      {failure !== undefined && (
        <div className="notice failure">
          <Icon name="warning" />
          <div>
            <p>{failure.message}</p>
            {codes.length > 0 && <p className="failure-code mono muted tiny">{codes.join(' · ')}</p>}
          </div>
          {onRetry !== undefined && (
            <Button look="small" onClick={onRetry}>
              Retry
            </Button>
          )}
        </div>
      )}
    </div>
  )
}

/** The failure of something that loads, or that it loads for the first time. */
export function LoadedState(props: {
  readonly loaded: Loaded<unknown>
  /** What loads, e.g. `the files`. */
  readonly what: string
}): ReactElement {
  const { loaded, what } = props
  const { phase, data, failure, reload } = loaded
  return (
    <>
      <FailureBox failure={failure} onRetry={reload} />
      {phase === 'loading' && data === undefined && <Loading label={`Loading ${what} …`} />}
    </>
  )
}

/** A measured value with its name. */
export interface Fact {
  readonly name: string
  /** `undefined` until measured. */
  readonly value: string | undefined
  readonly tone?: 'good' | 'bad'
}

/** Measured values in a row. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }): ReactElement {
  return (
    <dl className="facts grid ruled">
      {facts.map(({ name, value, tone }) => (
        <div key={name}>
          <dt className="muted tiny">{name}</dt>
          <dd data-tone={tone}>{value ?? <span className="faint">–</span>}</dd>
        </div>
      ))}
    </dl>
  )
}

/** How much of a file the browser has sent, and then what the service does. */
export function UploadProgress(props: {
  /** The panel's requests. The newest upload counts that is open, or was sent since the component appeared. */
  readonly log: ExchangeLog
  readonly name: string
  /** Of the file, in bytes. */
  readonly size: number
  /** What the service does when it has the file, e.g. `Transcribing talk.wav`. */
  readonly next: string
}): ReactElement {
  const { log, name, size, next } = props
  const [before] = useState(() => log.get()[0]?.id ?? 0)
  const share = useFrames(log, (exchanges) => {
    const upload = exchanges.find(
      ({ id, state, upload: sent }) => sent !== undefined && (state === 'open' || (state === 'done' && id > before)),
    )?.upload
    return upload === undefined ? 0 : upload.sent / upload.total
  })
  const label = `Uploading ${name}, ${formatBytes(size)}`
  return (
    <div className="upload row wraps gap-3 slim">
      <Loading label={`${share < 1 ? label : next} …`} />
      {share < 1 && (
        <span className="upload-share row gap-3">
          <progress aria-label={label} max={1} value={share} />
          <span className="clock">{Math.floor(share * 100)} %</span>
        </span>
      )}
    </div>
  )
}
