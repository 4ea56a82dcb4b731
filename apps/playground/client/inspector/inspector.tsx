import { type ReactElement, useState } from 'react'
import { Button, CopyButton, DownloadButton } from '../components/button.tsx'
import { Empty } from '../components/states.tsx'
import { formatBytes, formatMs } from '../lib/format.ts'
import { useStore } from '../lib/store.ts'
import { type Exchange, type ExchangeEvent, type ExchangeLog, indent, MAX_TEXT, recordingFetch } from './exchange.ts'
import { Field } from '../components/form.tsx'
import { curlCommand, curlJson } from '../code/snippet.ts'

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
    <div className="inspector grid gap-4">
      <div className="grid gap-3">
        <DownloadButton
          small
          label="Save all as HAR"
          name="svc-audio.har"
          file={() => new Blob([harOf(log.get(), location.origin)], { type: 'application/json' })}
        />
        <ul className="exchange-list grid gap-1" aria-label="Requests">
          {exchanges.map((each) => (
            <li key={each.id}>
              <button
                type="button"
                className="item exchange-item grid gap-2 small"
                aria-current={each.id === exchange.id}
                onClick={() => choose(each.id)}
              >
                <Status exchange={each} />
                <span className="mono tiny short">
                  {each.method} {each.path}
                </span>
                <span className="clock tiny">{each.began.toLocaleTimeString()}</span>
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
    <span className="exchange-status mono tiny strong" data-tone={tone}>
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
        {requestBody !== undefined && (
          <pre className="exchange-body sunken scrolls mono tiny pad-item breaks">{requestBody}</pre>
        )}
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
        {error !== undefined && (
          <p className="small breaks" data-tone="bad">
            {error}
          </p>
        )}
        {responseBody !== '' && (
          <pre className="exchange-body sunken scrolls mono tiny pad-item breaks">{indent(responseBody)}</pre>
        )}
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
      <header className="row between gap-3">
        <h2>{props.title}</h2>
        <div className="row gap-2 wraps">
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
    <div className="exchange-headers sunken mono tiny pad-item breaks">
      <p className="strong">{props.first}</p>
      <dl>
        {Object.entries(props.headers).map(([name, value]) => (
          <div key={name} className="row gap-2">
            <dt className="muted">{name}</dt>
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
      <header className="row between gap-3">
        <h2>Events</h2>
        <span className="hint">
          {props.events.length < props.count ? `${props.events.length} of ${props.count}` : props.count}
        </span>
      </header>
      {/* It can be scrolled, so the keyboard must reach it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <ol className="event-list sunken scrolls mono tiny pad-item" tabIndex={0} aria-label="Events">
        {props.events.map((event, index) => (
          // Events are only added.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={index}>
            <span className="clock">{formatMs(event.atMs)}</span>
            <span data-tone="good">{event.type}</span>
            <code className="event-data short muted">{event.data}</code>
          </li>
        ))}
      </ol>
    </section>
  )
}

/** How long the parts of a request took, as bars on one scale. */
export function Timings({ exchange }: { readonly exchange: Exchange }): ReactElement {
  const { headersMs, firstByteMs, endMs, events } = exchange
  const audio = events.find(({ type }) => type === 'speech.audio.delta' || type === 'transcript.text.delta')
  const total = endMs ?? events.at(-1)?.atMs ?? firstByteMs ?? headersMs ?? 0
  const marks = [
    { name: 'Headers', ms: headersMs },
    { name: 'First byte', ms: firstByteMs },
    ...(audio === undefined ? [] : [{ name: 'First content', ms: audio.atMs }]),
    { name: 'Complete', ms: endMs },
  ]
  return (
    <dl className="timings grid gap-1" aria-label="Timings">
      {marks.map(({ name, ms }) => (
        <div key={name}>
          <dt className="muted small">{name}</dt>
          <dd className="row gap-2">
            <span className="timing-bar" style={{ '--share': `${total === 0 ? 0 : ((ms ?? 0) / total) * 100}%` }} />
            <span className="clock">{ms === undefined ? '–' : formatMs(ms)}</span>
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** Options of {@link Resend}. */
export interface ResendProps {
  readonly exchange: Exchange
  /** Receives the new request. */
  readonly log: ExchangeLog
}

/**
 * Sends a request with JSON again, with changes. Its response is read here, not by the panel. An idempotency key is not
 * sent: the service would repeat the first response.
 */
export function Resend({ exchange: { method, path, requestBody = '' }, log }: ResendProps): ReactElement {
  const [text, setText] = useState(() => indent(requestBody))
  const fault = faultOf(text)
  const send = async (): Promise<void> => {
    const headers = { 'content-type': 'application/json', accept: '*/*' }
    try {
      const response = await recordingFetch(log)(`/api${path}`, { method, headers, body: text })
      // The log notes what is read.
      await response.arrayBuffer()
    } catch {
      // The log has the error.
    }
  }
  return (
    <details>
      <summary>Send again with changes</summary>
      <Field label="Body" hint={fault ?? 'The new request appears in the list.'}>
        {(ids) => (
          <textarea
            {...ids}
            rows={8}
            className="mono tiny"
            spellCheck={false}
            aria-invalid={fault !== undefined}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      <Button icon="replay" disabled={fault !== undefined} onClick={() => void send()}>
        Send
      </Button>
    </details>
  )
}

function faultOf(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return `This is not JSON: ${error instanceof Error ? error.message : String(error)}`
  }
}

/**
 * A command that sends a request again, with the key from the environment. It leaves out an idempotency key: the service
 * would repeat the first response.
 * @returns `undefined` for a form and for a long body, which the inspector does not store whole
 */
export function exchangeCurl({ method, path, requestBody }: Exchange): string | undefined {
  const parts = method === 'GET' || (method === 'POST' && requestBody !== undefined) ? [] : [`--request ${method}`]
  if (requestBody === undefined) return `${curlCommand(path, parts)}\n`
  const body = jsonObject(requestBody)
  return body === undefined ? undefined : curlJson(path, body, parts)
}

function jsonObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * The requests of a panel as a HAR 1.2 file, oldest first. It has no key. It has what the inspector stores: the start of a
 * long text, no audio, and the data of events.
 * @param origin Address of the playground
 */
export function harOf(exchanges: readonly Exchange[], origin: string): string {
  const entries = exchanges.toReversed().map((exchange) => entryOf(exchange, origin))
  const log = { version: '1.2', creator: { name: 'svc-audio playground', version: '1' }, entries }
  return `${JSON.stringify({ log }, undefined, 2)}\n`
}

function entryOf(exchange: Exchange, origin: string): object {
  const { method, path, began, requestHeaders, requestBody, status, responseHeaders, bytes } = exchange
  const { headersMs = 0, endMs = headersMs, error } = exchange
  const url = new URL(`/api${path}`, origin)
  const common = { httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1 }
  const mimeType = requestHeaders['content-type'] ?? ''
  return {
    startedDateTime: began.toISOString(),
    time: endMs,
    request: {
      ...common,
      method,
      url: url.href,
      headers: pairs(Object.entries(requestHeaders)),
      queryString: pairs(url.searchParams),
      bodySize: -1,
      ...(requestBody === undefined ? {} : { postData: { mimeType, text: requestBody } }),
    },
    response: {
      ...common,
      status: status ?? 0,
      statusText: '',
      headers: pairs(Object.entries(responseHeaders)),
      redirectURL: '',
      bodySize: bytes,
      content: { size: bytes, mimeType: responseHeaders['content-type'] ?? '', text: textOf(exchange) },
    },
    cache: {},
    timings: { send: 0, wait: headersMs, receive: Math.max(0, endMs - headersMs) },
    ...(error === undefined ? {} : { comment: error }),
  }
}

function textOf({ responseBody, events }: Exchange): string {
  return events.length === 0 ? responseBody : events.map(({ data }) => `data: ${data}\n\n`).join('')
}

function pairs(entries: Iterable<readonly [string, string]>): object[] {
  return Array.from(entries, ([name, value]) => ({ name, value }))
}
