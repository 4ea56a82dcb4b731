import { type ComponentProps, type ReactElement, useEffect, useState } from 'react'
import { failureOf } from '../lib/calls.ts'

/** A button with an icon before its words. */
export function Button(
  props: ComponentProps<'button'> & {
    readonly icon?: IconName
    readonly look?: 'primary' | 'danger' | 'quiet' | 'small'
  },
): ReactElement {
  const { icon, look, children, ...rest } = props
  return (
    <button type="button" className={look === undefined ? 'button' : `button button-${look}`} {...rest}>
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </button>
  )
}

/** A button that is only an icon. */
export function IconButton(
  props: ComponentProps<'button'> & {
    readonly icon: IconName
    /** For screen readers. */
    readonly label: string
  },
): ReactElement {
  const { icon, label, ...rest } = props
  return (
    <button type="button" className="icon-button" aria-label={label} {...rest}>
      <Icon name={icon} />
    </button>
  )
}

/** Options of {@link RunButton}. */
export interface RunButtonProps {
  /** Whether the call runs. The button then stops it. */
  readonly busy: boolean
  readonly label: string
  /** @default 'play' */
  readonly icon?: IconName
  /** Whether everything is there to start. */
  readonly ready: boolean
  readonly onRun: () => void
  readonly onStop: () => void
  /** Shows the keys that do the same: Ctrl+Enter and Escape. @default false */
  readonly hint?: boolean
}

/** The main button of a panel: it starts a call and then stops it. */
export function RunButton(props: RunButtonProps): ReactElement {
  const { busy, label, icon = 'play', ready, onRun, onStop, hint = false } = props
  const keys = busy ? ['Esc'] : ['Ctrl', 'Enter']
  return (
    <>
      {hint && (
        <span className="key-hint" aria-hidden="true">
          {keys.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
        </span>
      )}
      <Button look="primary" icon={busy ? 'stop' : icon} disabled={!busy && !ready} onClick={busy ? onStop : onRun}>
        {busy ? 'Stop' : label}
      </Button>
    </>
  )
}

/** Small buttons that each bring a text. */
export function Chips<Item extends { readonly title: string }>(props: {
  /** For screen readers. */
  readonly label: string
  readonly items: readonly Item[]
  readonly onChoose: (item: Item) => void
  readonly disabled?: boolean
}): ReactElement {
  const { label, items, onChoose, disabled } = props
  return (
    <div className="actions" role="group" aria-label={label}>
      {items.map((item) => (
        <Button key={item.title} look="small" disabled={disabled} onClick={() => onChoose(item)}>
          {item.title}
        </Button>
      ))}
    </div>
  )
}

const PATHS = {
  play: 'M7 4.5v15l12-7.5z',
  pause: 'M7 5h3.5v14H7zM13.5 5H17v14h-3.5z',
  stop: 'M6.5 6.5h11v11h-11z',
  download: 'M12 4v11m-5-5 5 5 5-5M5 20h14',
  replay: 'M4 12a8 8 0 1 0 2.6-5.9M4 4v4.5h4.5',
  microphone:
    'M12 15a3.5 3.5 0 0 0 3.5-3.5v-5a3.5 3.5 0 0 0-7 0v5A3.5 3.5 0 0 0 12 15zm-6.5-4a6.5 6.5 0 0 0 13 0M12 17.5V21',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  copy: 'M9 9h11v11H9zM15 5V4H4v11h1',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  cross: 'M6 6l12 12M18 6 6 18',
  arrow: 'M4 12h15m-6-6 6 6-6 6',
  chevron: 'm6 9 6 6 6-6',
  menu: 'M4 7h16M4 12h16M4 17h16',
  warning: 'M12 4 2.5 20h19zM12 10v4.5M12 17.2v.3',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z',
  system: 'M4 5h16v11H4zM9 20h6M12 16v4',
  volume: 'M4 9.5v5h3.5L12 18.5v-13L7.5 9.5zM15.5 9a4.2 4.2 0 0 1 0 6M18 6.5a7.8 7.8 0 0 1 0 11',
  muted: 'M4 9.5v5h3.5L12 18.5v-13L7.5 9.5zM16 9.5l5 5M21 9.5l-5 5',
  speak: 'M4 10v4M8 6.5v11M12 3.5v17M16 7.5v9M20 10.5v3',
  transcribe: 'M5 5h14M5 10h14M5 15h9M5 20h5',
  dialogue: 'M4 4h11v8H9l-3 3v-3H4zM18 9h2v8h-2v3l-3-3H10',
  voices:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20a6.5 6.5 0 0 1 13 0M17 5.5a3.5 3.5 0 0 1 0 6M18.5 14.5a6.5 6.5 0 0 1 3 5.5',
  tasks: 'M4 6.5l1.5 1.5L8 5M4 12.5 5.5 14 8 11M4 18.5 5.5 20 8 17M11.5 6.5H20M11.5 12.5H20M11.5 18.5H20',
  files: 'M3.5 6.5h6l2 2.5h9v10.5h-17z',
  models: 'M12 3 20 7.5v9L12 21l-8-4.5v-9zM12 12l8-4.5M12 12v9M12 12 4 7.5',
  loop: 'M17 3.5 20.5 7 17 10.5M3.5 11V7h17M7 20.5 3.5 17 7 13.5M20.5 13v4h-17',
  plug: 'M9 3v5M15 3v5M6.5 8h11v3.5a5.5 5.5 0 0 1-11 0zM12 17v4',
  code: 'm8 7-5 5 5 5M16 7l5 5-5 5',
  inspector: 'M3.5 12h4l2.5-7 4 14 2.5-7h4',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10.5 11v5.5M13.5 11v5.5',
  star: 'm12 3.5 2.6 5.6 6.1.7-4.5 4.2 1.2 6L12 17l-5.4 3 1.2-6-4.5-4.2 6.1-.7z',
  plus: 'M12 5v14M5 12h14',
  up: 'm6 15 6-6 6 6',
  grip: 'M9 6v.1M15 6v.1M9 12v.1M15 12v.1M9 18v.1M15 18v.1',
  link: 'M10 14a4 4 0 0 0 5.7 0l3.5-3.5a4 4 0 0 0-5.7-5.7L12 6.3M14 10a4 4 0 0 0-5.7 0l-3.5 3.5a4 4 0 0 0 5.7 5.7L12 17.7',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5.5l3.5 2',
} as const

/** Name of an {@link Icon}. */
export type IconName = keyof typeof PATHS

const FILLED: ReadonlySet<IconName> = new Set(['play', 'pause', 'stop'])

/** A small icon beside a label. Screen readers skip it. */
export function Icon({ name }: { readonly name: IconName }): ReactElement {
  return (
    <svg className={FILLED.has(name) ? 'icon icon-filled' : 'icon'} viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}

type Outcome = 'copied' | 'refused'

const LABELS = { copied: 'Copied', refused: 'Not allowed' } as const

/** Copies a text and confirms it briefly, for screen readers too. */
export function CopyButton(props: {
  readonly text: string
  /** What is copied, for screen readers. */
  readonly what: string
  /** @default 'Copy' */
  readonly label?: string
}): ReactElement {
  const { text, what, label = 'Copy' } = props
  const [outcome, setOutcome] = useState<Outcome>()
  useEffect(() => {
    if (outcome === undefined) return undefined
    const timer = setTimeout(() => setOutcome(undefined), 2000)
    return () => clearTimeout(timer)
  }, [outcome])
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text).then(
      () => setOutcome('copied'),
      () => setOutcome('refused'),
    )
  }
  return (
    <>
      <Button icon={outcome === 'copied' ? 'check' : 'copy'} look="quiet" onClick={() => void copy()}>
        <span>
          {outcome === undefined ? label : LABELS[outcome]}
          <span className="visually-hidden"> {what}</span>
        </span>
      </Button>
      {/* Screen readers announce a region outside of the button. They may ignore one inside. */}
      <span className="visually-hidden" role="status">
        {announcement(outcome, what)}
      </span>
    </>
  )
}

function announcement(outcome: Outcome | undefined, what: string): string {
  if (outcome === undefined) return ''
  return outcome === 'copied' ? `Copied ${what}.` : `The browser does not allow the page to copy ${what}.`
}

/** Saves a file from memory. */
export function DownloadButton(props: {
  /** Makes the file when the button is pressed. `undefined` disables the button. */
  readonly file: (() => Blob | Promise<Blob>) | undefined
  readonly name: string
  /** @default 'Download' */
  readonly label?: string
  readonly small?: boolean
}): ReactElement {
  const { file, name, label = 'Download', small = false } = props
  const [refusal, setRefusal] = useState<string>()
  const save = async (): Promise<void> => {
    if (file === undefined) return
    setRefusal(undefined)
    try {
      saveFile(await file(), name)
    } catch (error) {
      setRefusal(failureOf(error).message)
    }
  }
  return (
    <>
      <Button
        icon="download"
        {...(small ? { look: 'small' } : {})}
        disabled={file === undefined}
        onClick={() => void save()}
      >
        {label}
      </Button>
      {refusal !== undefined && (
        <span className="small breaks" data-tone="bad" role="alert">
          {refusal}
        </span>
      )}
    </>
  )
}

/** Saves a file in the browser's folder of downloads. */
function saveFile(file: Blob, name: string): void {
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser has read the address by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
