import { type ReactElement, useState } from 'react'
import { useStore } from '../lib/store.ts'
import { Button } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { checkConnection, connection, type ConnectionState } from './connection.ts'

const TEXTS: Readonly<Record<Exclude<ConnectionState, 'up'>, readonly [what: string, then: string]>> = {
  starting: ['The service is starting.', 'It answers in a moment.'],
  down: ['The service does not answer.', 'The page tries to reach it again.'],
  silent: [
    'The service takes requests and does not answer.',
    'It may be busy or frozen. What you started may still end.',
  ],
  refused: [
    'The service refuses the key of the playground.',
    'Set SVC_AUDIO_API_KEY to a key of your service, and start the playground again.',
  ],
  unreachable: [
    'The playground has stopped.',
    'Start it again with npx -y pnpm@12 playground. The page then continues.',
  ],
}

/** Says why nothing works, in one place, until it works again. */
export function ConnectionBanner(): ReactElement {
  const { state } = useStore(connection)
  const [retrying, setRetrying] = useState(false)
  const retry = async (): Promise<void> => {
    setRetrying(true)
    await checkConnection(true)
    setRetrying(false)
  }
  return (
    <div className="connection" role="alert">
      {state !== 'up' && (
        <div className="connection-banner">
          <Icon name="warning" />
          <p>
            <b>{TEXTS[state][0]}</b> {TEXTS[state][1]}
          </p>
          <Button look="small" disabled={retrying} onClick={() => void retry()}>
            Retry
          </Button>
        </div>
      )}
    </div>
  )
}
