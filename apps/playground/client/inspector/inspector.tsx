import { type ReactElement, useState } from 'react'
import { CopyButton } from '../components/copy-button.tsx'
import { DownloadButton } from '../components/download-button.tsx'
import { Empty } from '../components/states.tsx'
import { formatBytes, formatMs } from '../lib/format.ts'
import { useStore } from '../lib/store.ts'
import { indent } from './describe.ts'
import { type Exchange, type ExchangeEvent, MAX_TEXT } from './exchange.ts'
import { exchangeCurl } from './exchange-curl.ts'
import type { ExchangeLog } from './exchange-log.ts'
import { harOf } from './har.ts'
import { Resend, type ResendProps } from './resend.tsx'
import { Timings } from './timings.tsx'

/** The Inspector tab: the panel's requests, as they left and as they were answered. */
export function Inspector({ log }: { readonly log: ExchangeLog }): ReactElement {
  const exchanges = useStore(log)
  const [chosen, choose] = useState<number>()
  const exchange = exchanges.find(({ id }) => id === chosen) ?? exchanges[0]
  if (exchange === undefined) {
    return (
      <Empty icon="inspector" title="No request yet">
        Requests of this panel appear here with their timings and events.
      </Empty>
    )
  }
  return (
    <div className="inspector">
      <div className="exchange-nav">
        <DownloadButton
          small
          label="Save all as HAR"
          name="svc-audio.har"
          file={() => new Blob([harOf(log.get(), location.origin)], { type: 'application/json' })}
        />
        <ul className="exchange-list" aria-label="Requests">
          {exchanges.map((each) => (
            <li key={each.id}>
              <button
                type="button"
                className="exchange-item"
                aria-current={each.id === exchange.id}
                onClick={() => choose(each.id)}
              >
                <Status exchange={each} />
                <span className="exchange-path">
                  {each.method} {each.path}
                </span>
                <span className="clock">{each.began.toLocaleTimeString()}</span>
              </button>
            </li>
          ))}
        </ul>
      </div>
      <Detail exchange={exchange} log={log} />
    </div>
  )
}

function Status({ exchange: { state, status } }: { readonly exchange: Exchange }): ReactElement {
  const tone = state === 'open' ? 'open' : state === 'done' && (status ?? 0) < 400 ? 'good' : 'bad'
  const text = status === undefined ? (state === 'open' ? '…' : state) : String(status)
  return (
    <span className="exchange-status" data-tone={tone}>
      {text}
    </span>
  )
}

function Detail({ exchange, log }: ResendProps): ReactElement {
  const { method, path, requestHeaders, requestBody, upload, responseHeaders, responseBody, error, state, bytes } =
    exchange
  const curl = exchangeCurl(exchange)
  return (
    <div className="stack exchange" aria-live="off">
      <Timings exchange={exchange} />
      <Section
        title="Request"
        text={requestBody}
        action={curl !== undefined && <CopyButton text={curl} label="Copy as curl" what="for this request" />}
      >
        <Headers first={`${method} ${path}`} headers={requestHeaders} />
        {requestBody !== undefined && <pre className="exchange-body">{requestBody}</pre>}
        {upload !== undefined && upload.sent < upload.total && (
          <p className="hint">
            Sent {formatBytes(upload.sent)} of {formatBytes(upload.total)}
          </p>
        )}
      </Section>
      <Section
        title="Response"
        text={responseBody === '' ? undefined : responseBody}
        action={<SaveResponse exchange={exchange} />}
      >
        {exchange.status !== undefined && (
          <Headers first={`HTTP ${exchange.status} · ${formatBytes(bytes)}`} headers={responseHeaders} />
        )}
        {state === 'aborted' && <p className="hint">You stopped this request.</p>}
        {error !== undefined && <p className="error-text">{error}</p>}
        {responseBody !== '' && <pre className="exchange-body">{indent(responseBody)}</pre>}
      </Section>
      {requestBody !== undefined && curl !== undefined && <Resend key={exchange.id} exchange={exchange} log={log} />}
      {exchange.eventCount > 0 && <Events events={exchange.events} count={exchange.eventCount} />}
    </div>
  )
}

/** Saves a text that the inspector has whole. */
function SaveResponse({ exchange }: { readonly exchange: Exchange }): ReactElement | false {
  const { id, responseBody, responseHeaders } = exchange
  const { 'content-type': type = 'text/plain' } = responseHeaders
  const isWhole = responseBody !== '' && responseBody.length < MAX_TEXT
  return (
    isWhole && (
      <DownloadButton
        small
        label="Save"
        name={`response-${id}.${type.startsWith('application/json') ? 'json' : 'txt'}`}
        file={() => new Blob([responseBody], { type })}
      />
    )
  )
}

function Section(props: {
  readonly title: string
  readonly text: string | undefined
  readonly action: React.ReactNode
  readonly children: React.ReactNode
}): ReactElement {
  return (
    <section className="stack">
      <header className="field-head">
        <h2>{props.title}</h2>
        <div className="exchange-actions">
          {props.action}
          {props.text !== undefined && <CopyButton text={props.text} what={`the body of the ${props.title}`} />}
        </div>
      </header>
      {props.children}
    </section>
  )
}

function Headers(props: { readonly first: string; readonly headers: Readonly<Record<string, string>> }): ReactElement {
  return (
    <div className="exchange-headers">
      <p>{props.first}</p>
      <dl>
        {Object.entries(props.headers).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

function Events(props: { readonly events: readonly ExchangeEvent[]; readonly count: number }): ReactElement {
  return (
    <section className="stack">
      <header className="field-head">
        <h2>Events</h2>
        <span className="hint">
          {props.events.length < props.count ? `${props.events.length} of ${props.count}` : props.count}
        </span>
      </header>
      {/* It can be scrolled, so the keyboard must reach it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <ol className="event-list" tabIndex={0} aria-label="Events">
        {props.events.map((event, index) => (
          // Events are only added.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={index}>
            <span className="clock">{formatMs(event.atMs)}</span>
            <span className="event-type">{event.type}</span>
            <code className="event-data">{event.data}</code>
          </li>
        ))}
      </ol>
    </section>
  )
}
