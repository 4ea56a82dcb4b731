import { type ReactElement, useEffect, useState } from 'react'
import { Facts } from '../components/facts.tsx'
import { formatBytes, formatClock, formatMs, formatSeconds } from '../components/format.ts'
import { Icon } from '../components/icon.tsx'
import { LevelMeter } from '../components/level-meter.tsx'
import { Waveform, WAVEFORM_BARS } from '../components/waveform.tsx'
import { type Speech, wavOf } from './speech.ts'
import type { SpeechState } from './speech-state.ts'

const FLAT: readonly number[] = Array.from({ length: WAVEFORM_BARS }, () => 0)

/** Options of {@link SpeechOutput}. */
export interface SpeechOutputProps {
  readonly state: SpeechState
  readonly onPlayAgain: (speech: Speech) => void
}

/** The waveform, the measurements and the actions of the speech. */
export function SpeechOutput({ state, onPlayAgain }: SpeechOutputProps): ReactElement {
  const { received, playedSeconds, firstAudioMs, level, speech, phase } = state
  const seconds = received?.seconds ?? 0
  const busy = phase === 'waiting' || phase === 'speaking'
  return (
    <div className="output">
      <Waveform bars={received?.bars ?? FLAT} played={seconds === 0 ? 0 : Math.min(1, playedSeconds / seconds)} />
      <div className="output-scale">
        <span className="clock">{formatClock(playedSeconds)}</span>
        <LevelMeter label="Level of the speech" level={level} />
        <span className="clock">{formatClock(seconds)}</span>
      </div>
      <Facts
        facts={[
          { name: 'First audio', value: firstAudioMs === undefined ? undefined : formatMs(firstAudioMs) },
          { name: 'Duration', value: received === undefined ? undefined : formatSeconds(seconds) },
          { name: 'Received', value: received === undefined ? undefined : formatBytes(received.bytes) },
        ]}
      />
      <div className="actions">
        <button
          type="button"
          className="button"
          disabled={speech === undefined || busy}
          onClick={() => speech !== undefined && onPlayAgain(speech)}
        >
          <Icon name="replay" />
          Play again
        </button>
        <DownloadWav speech={speech} />
      </div>
    </div>
  )
}

function DownloadWav({ speech }: { readonly speech: Speech | undefined }): ReactElement {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (speech === undefined) return undefined
    const made = URL.createObjectURL(wavOf(speech))
    setUrl(made)
    return () => {
      setUrl(undefined)
      URL.revokeObjectURL(made)
    }
  }, [speech])
  const label = (
    <>
      <Icon name="download" />
      Download WAV
    </>
  )
  if (url === undefined) {
    return (
      <button type="button" className="button" disabled>
        {label}
      </button>
    )
  }
  return (
    <a className="button" href={url} download="speech.wav">
      {label}
    </a>
  )
}
