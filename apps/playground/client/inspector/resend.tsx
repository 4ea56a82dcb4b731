import { type ReactElement, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Field } from '../components/form.tsx'
import { indent } from './describe.ts'
import type { Exchange } from './exchange.ts'
import type { ExchangeLog } from './exchange-log.ts'
import { recordingFetch } from './recording-fetch.ts'

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
    <details className="resend">
      <summary>Send again with changes</summary>
      <Field label="Body" hint={fault ?? 'The new request appears in the list.'}>
        {(ids) => (
          <textarea
            {...ids}
            rows={8}
            className="exchange-body"
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
