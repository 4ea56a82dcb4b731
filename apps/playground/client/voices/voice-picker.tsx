import type { Voice } from '@svc-audio/core/pure'
import { type KeyboardEvent, type ReactElement, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { MediaPlayer } from '../audio/player.ts'
import { Icon } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { SelectField } from '../components/form.tsx'
import { hueStyle } from '../components/lanes.tsx'
import { FailureBox, LoadedState } from '../components/states.tsx'
import { failureOf, type Loaded } from '../lib/calls.ts'
import { useShared, useStore } from '../lib/store.ts'
import { connection } from '../shell/connection.ts'
import { useLatest } from '../shell/panel-context.ts'
import { nameOf, previewOf, useVoices } from './use-voices.ts'

/** A button with the chosen voice. It opens the list of the voices, where each can be heard. */
export function VoicePicker(props: {
  /** @default 'Voice' */
  readonly label?: string
  /** Id of the chosen voice. Empty for the service's default. */
  readonly value: string
  readonly onChange: (voice_id: string) => void
}): ReactElement {
  const { label = 'Voice', value, onChange } = props
  const voices = useVoices()
  const [open, setOpen] = useState(false)
  const id = useId()
  const chosen = voices.data?.find((voice) => voice.id === value) ?? (value === '' ? voices.data?.[0] : undefined)
  const name = chosen === undefined ? (value === '' ? 'Default voice' : value) : nameOf(chosen)
  return (
    <div className="field">
      <span className="strong small" id={id}>
        {label}
      </span>
      <button
        type="button"
        className="voice-button row gap-3"
        aria-haspopup="dialog"
        aria-labelledby={`${id} ${id}-name`}
        onClick={() => setOpen(true)}
      >
        <VoiceBadge id={chosen?.id ?? value} name={name} />
        <span className="short grow" id={`${id}-name`}>
          {name}
        </span>
        <Icon name="chevron" />
      </button>
      {voices.phase === 'failed' && <FailureBox failure={voices.failure} onRetry={voices.reload} />}
      {open && (
        <Dialog title="Choose a voice" onClose={() => setOpen(false)}>
          <VoiceList
            voices={voices}
            chosen={chosen?.id ?? value}
            onChoose={(voice) => {
              onChange(voice.id)
              setOpen(false)
            }}
          />
        </Dialog>
      )}
    </div>
  )
}

/** The initial of a voice on its colour. */
export function VoiceBadge({ id, name }: { readonly id: string; readonly name: string }): ReactElement {
  return (
    <span
      className="voice-badge grid tiny"
      style={hueStyle(hueOf(id))}
      data-initial={name.slice(0, 1).toUpperCase()}
      aria-hidden="true"
    />
  )
}

/** A colour of a voice's badge, from its id: one of eight, always the same. */
export function hueOf(id: string): number {
  let sum = 0
  for (const char of id) sum = (sum * 31 + (char.codePointAt(0) ?? 0)) % 997
  return sum % 8
}

const NO_FAVOURITES: readonly string[] = []

/**
 * Voices to choose from, favourites first. The focus begins in the search: Enter chooses the first voice, the arrow keys,
 * Home and End move through the list, and a letter typed there continues the search.
 */
function VoiceList(props: {
  readonly voices: Loaded<readonly Voice[]>
  /** Id of the chosen voice. */
  readonly chosen: string
  readonly onChoose: (voice: Voice) => void
}): ReactElement {
  const { voices, chosen, onChoose } = props
  const [search, setSearch] = useState('')
  const [favourites, setFavourites] = useShared<readonly string[]>('voices.favourites', NO_FAVOURITES)
  // Previews cost nothing with the local service. Another one may bill them.
  const [hears, setHears] = useShared('voices.hear', useStore(connection).embedded === true)
  const field = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLUListElement>(null)
  // The dialog gives the focus to its first control, which is Close.
  useEffect(() => field.current?.focus(), [])
  const wanted = search.trim().toLowerCase()
  const [wish, setWish] = useState<Wish>({ language: '', gender: '', engine: '' })
  const found = voices.data?.filter((voice) => isFound(voice, wanted, wish)) ?? []
  const sorted = found.toSorted((a, b) => Number(favourites.includes(b.id)) - Number(favourites.includes(a.id)))
  const moveFocus = (event: KeyboardEvent): void => {
    const rows = Array.from(list.current?.querySelectorAll<HTMLElement>('.voice-choice') ?? [])
    const at = rows.findIndex((row) => row === document.activeElement)
    const next = targetOf(event.key, at, rows.length)
    if (next === undefined) {
      if (at >= 0 && isLetter(event)) field.current?.focus()
      return
    }
    event.preventDefault()
    if (next < 0) field.current?.focus()
    else rows[next]?.focus()
  }
  const toggle = (id: string): void =>
    setFavourites((before) => (before.includes(id) ? before.filter((one) => one !== id) : [...before, id]))
  return (
    // The keys move the focus between controls, which have roles of their own.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div className="stack" onKeyDown={moveFocus}>
      <label className="field">
        <span className="visually-hidden">Search the voices</span>
        <input
          ref={field}
          type="search"
          placeholder="Search"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && wanted !== '' && sorted[0] !== undefined) onChoose(sorted[0])
          }}
        />
      </label>
      <Filters voices={voices.data ?? []} wish={wish} onWish={setWish}>
        <label className="check row gap-3">
          <input type="checkbox" checked={hears} onChange={(event) => setHears(() => event.target.checked)} />
          Hear each voice that the arrow keys reach
        </label>
      </Filters>
      <LoadedState loaded={voices} what="the voices" />
      <ul className="voice-list scrolls grid gap-1" aria-label="Voices" ref={list}>
        {sorted.map((voice) => (
          <VoiceRow
            key={voice.id}
            voice={voice}
            isChosen={voice.id === chosen}
            hears={hears}
            isFavourite={favourites.includes(voice.id)}
            onChoose={() => onChoose(voice)}
            onToggle={() => toggle(voice.id)}
          />
        ))}
      </ul>
      {voices.data !== undefined && found.length === 0 && <p className="muted">No voice has this name.</p>}
    </div>
  )
}

function VoiceRow(props: {
  readonly voice: Voice
  readonly isChosen: boolean
  /** Whether the preview plays when the keyboard reaches the row. */
  readonly hears: boolean
  readonly isFavourite: boolean
  readonly onChoose: () => void
  readonly onToggle: () => void
}): ReactElement {
  const { voice, isChosen, hears, isFavourite, onChoose, onToggle } = props
  const [isFocused, setFocused] = useState(false)
  return (
    <li className="item voice-row row gap-2" data-chosen={isChosen}>
      <PreviewButton voice={voice} isWanted={hears && isFocused} />
      <button
        type="button"
        className="voice-choice row gap-3 grow slim"
        aria-pressed={isChosen}
        onClick={onChoose}
        // A click focuses too, and chooses the voice.
        onFocus={({ currentTarget }) => setFocused(currentTarget.matches(':focus-visible'))}
        onBlur={() => setFocused(false)}
      >
        <span className="short grow">{nameOf(voice)}</span>
        <span className="voice-id muted tiny">{voice.id}</span>
        {isChosen && <Icon name="check" />}
      </button>
      <button
        type="button"
        className="icon-button voice-star"
        aria-label={`Favourite: ${nameOf(voice)}`}
        aria-pressed={isFavourite}
        onClick={onToggle}
      >
        <Icon name="star" />
      </button>
    </li>
  )
}

function languagesOf({ language, languages }: Voice): readonly string[] {
  return languages ?? (language === undefined ? [] : [language])
}

/** What the filters ask for. Empty for every value. */
interface Wish {
  readonly language: string
  readonly gender: string
  readonly engine: string
}

/** Whether a voice has the searched text in its name, id, gender or description, and what the filters ask for. */
function isFound(voice: Voice, wanted: string, wish: Wish): boolean {
  const { name, id, gender = '', description = '' } = voice
  const text = `${name} ${id} ${gender} ${description}`.toLowerCase()
  const isSpoken = wish.language === '' || languagesOf(voice).includes(wish.language)
  const isOfEngine = wish.engine === '' || wish.engine === voice.engine
  return text.includes(wanted) && isSpoken && isOfEngine && (wish.gender === '' || wish.gender === gender)
}

/** What each filter is called, which values a voice has for it, and how a value is called. */
const FILTERS: readonly {
  readonly id: keyof Wish
  readonly label: string
  readonly of: (voice: Voice) => string | readonly string[]
  readonly nameOf: (value: string) => string
}[] = [
  { id: 'language', label: 'Language', of: languagesOf, nameOf: languageName },
  {
    id: 'gender',
    label: 'Gender',
    of: ({ gender }) => gender ?? [],
    nameOf: (gender) => gender.charAt(0).toUpperCase() + gender.slice(1),
  },
  { id: 'engine', label: 'Engine', of: ({ engine }) => engine ?? [], nameOf: (engine) => engine },
]

/** A choice among the values that the voices have, and what else stands beside it. One value alone is no choice. */
function Filters(props: {
  readonly voices: readonly Voice[]
  readonly wish: Wish
  readonly onWish: (wish: Wish) => void
  readonly children: ReactNode
}): ReactElement {
  const { voices, wish, onWish, children } = props
  return (
    <div className="voice-filters row ends gap-3 wraps">
      {FILTERS.map(({ id, label, of, nameOf: name }) => {
        const values = [...new Set(voices.flatMap(of))].toSorted().map((value) => ({ value, label: name(value) }))
        const options = [{ value: '', label: 'All' }, ...values]
        const choose = (value: string): void => onWish({ ...wish, [id]: value })
        return values.length > 1 && <SelectField key={id} {...{ label, options }} value={wish[id]} onChange={choose} />
      })}
      {children}
    </div>
  )
}

const LANGUAGES = new Intl.DisplayNames(['en'], { type: 'language' })

/** The English name of a language; its tag, if it has none. */
function languageName(tag: string): string {
  try {
    return LANGUAGES.of(tag) ?? tag
  } catch {
    return tag
  }
}

/**
 * @param at Row with the focus; -1 for none.
 * @returns the row to focus, -1 for the search, `undefined` for another key
 */
function targetOf(key: string, at: number, count: number): number | undefined {
  if (key === 'ArrowDown') return Math.min(at + 1, count - 1)
  if (at < 0) return undefined
  if (key === 'ArrowUp') return at - 1
  if (key === 'Home') return 0
  return key === 'End' ? count - 1 : undefined
}

function isLetter({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return key.length === 1 && key !== ' ' && !ctrlKey && !metaKey && !altKey
}

/** Milliseconds that a row has the focus before its preview plays: who moves on hears nothing. */
const REST_MS = 350

/** Plays a sentence in a voice. The first press makes it. */
export function PreviewButton(props: {
  readonly voice: Voice
  /** Plays without a press, after a moment, as long as it is true. @default false */
  readonly isWanted?: boolean
}): ReactElement {
  const { voice, isWanted = false } = props
  const [state, setState] = useState<'idle' | 'loading' | 'playing'>('idle')
  const [error, setError] = useState<string>()
  const player = useRef<MediaPlayer>(undefined)
  useEffect(() => () => player.current?.close(), [])
  const play = async (): Promise<void> => {
    setError(undefined)
    try {
      if (player.current === undefined) {
        setState('loading')
        const made = new MediaPlayer(await previewOf(voice.id))
        made.state.subscribe(() => {
          const { status } = made.state.get()
          setState(status === 'playing' || status === 'waiting' ? 'playing' : 'idle')
        })
        player.current = made
      }
      await player.current.play()
    } catch (reason) {
      setState('idle')
      setError(failureOf(reason).message)
    }
  }
  const latest = useLatest(play)
  useEffect(() => {
    if (!isWanted) return undefined
    const timer = setTimeout(() => void latest.current(), REST_MS)
    return () => {
      clearTimeout(timer)
      player.current?.pause()
    }
  }, [isWanted, latest])
  return (
    <button
      type="button"
      className="icon-button preview-button"
      data-state={state}
      title={error}
      aria-label={`${state === 'playing' ? 'Pause' : 'Play'} a preview of ${nameOf(voice)}${error === undefined ? '' : `. ${error}`}`}
      onClick={() => (state === 'playing' ? player.current?.pause() : void play())}
    >
      {state === 'loading' ? (
        <span className="spinner" aria-hidden="true" />
      ) : (
        <Icon name={error !== undefined ? 'warning' : state === 'playing' ? 'pause' : 'play'} />
      )}
    </button>
  )
}
