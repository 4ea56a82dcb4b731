import { type DragEvent, type ReactElement, type ReactNode, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { createStore, type Store, useStore } from '../lib/store.ts'
import './audio-input.css'

/** Files that the service reads (interface: transcription). */
const ACCEPT = 'audio/*,video/mp4,video/mpeg,video/quicktime,video/webm'

const HINT = 'WAV, FLAC, OGG, OPUS, M4A, MP4, WebM and more, up to 512 MiB'

/** Accepts a dropped or chosen file of audio. */
export function FileDrop(props: {
  readonly title: string
  /** Name of the file control, for screen readers. */
  readonly label: string
  readonly onFile: (file: File) => void
  /** What the service takes. @default the formats and the size of a transcription */
  readonly hint?: string
  /** Other sources of audio, beside the file button. */
  readonly children?: ReactNode
}): ReactElement {
  const { title, label, onFile, hint = HINT, children } = props
  const [over, setOver] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const take = (files: FileList | null | undefined): void => {
    const file = files?.[0]
    if (file !== undefined) onFile(file)
  }
  const drop = (event: DragEvent): void => {
    event.preventDefault()
    setOver(false)
    take(event.dataTransfer.files)
  }
  return (
    <div
      className="drop-zone row wraps between gap-3"
      data-over={over}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <div>
        {/* Nothing can be dropped on a phone: its buttons are enough. */}
        <p className="strong wide-only">{title}</p>
        <p className="hint">{hint}</p>
      </div>
      <div className="actions">
        <input
          ref={input}
          type="file"
          accept={ACCEPT}
          className="visually-hidden"
          tabIndex={-1}
          aria-label={label}
          onChange={(event) => {
            take(event.target.files)
            // Lets the user choose the same file again.
            event.target.value = ''
          }}
        />
        <Button icon="file" onClick={() => input.current?.click()}>
          Choose a file
        </Button>
        {children}
      </div>
    </div>
  )
}

/** Takes the last complete speech of the page. */
export function LastSpeechButton(props: {
  /** Takes the audio, with the text that it speaks. */
  readonly onUse: (speech: { readonly data: Blob; readonly name: string; readonly said: string }) => void
}): ReactElement {
  const speech = useStore(lastSpeech)
  const use = async (): Promise<void> => {
    if (speech !== undefined) props.onUse({ data: await speech.file(), name: speech.name, said: speech.text })
  }
  return (
    <Button icon="arrow" disabled={speech === undefined} onClick={() => void use()}>
      Use the last speech
    </Button>
  )
}

/** Speech of one panel that another can use. */
export interface LastSpeech {
  readonly text: string
  readonly name: string
  readonly file: () => Blob | Promise<Blob>
}

/** The last complete speech of the page. */
export const lastSpeech: Store<LastSpeech | undefined> = createStore<LastSpeech | undefined>(undefined)
