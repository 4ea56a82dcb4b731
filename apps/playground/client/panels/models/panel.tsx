import './models.css'
import type { Model } from '@svc-audio/core/pure'
import type { ReactElement } from 'react'
import { modelsSnippets } from '../../code/servers.ts'
import { CopyButton, Icon, type IconName } from '../../components/button.tsx'
import { Empty, LoadedState } from '../../components/states.tsx'
import { useLoaded } from '../../lib/calls.ts'
import { usePanel } from '../../shell/panel-context.ts'
import { PanelFrame } from '../../shell/panel-frame.tsx'
import { Link } from '../../shell/router.tsx'

/** The models of the account. */
export function Panel(): ReactElement {
  const { client } = usePanel()
  const models = useLoaded(async (signal) => (await client.models.list({ signal })).data)
  const pinned = models.data?.filter(({ id }) => DATE.test(id)) ?? []
  return (
    <PanelFrame title="Models" about="What your account can use, and what each model can do." code={modelsSnippets}>
      <LoadedState loaded={models} what="the models" />
      {models.data?.length === 0 && (
        <Empty icon="models" title="No models">
          This account has no model. Ask its owner.
        </Empty>
      )}
      <ModelList label="Models" models={models.data?.filter(({ id }) => !DATE.test(id)) ?? []} />
      {pinned.length > 0 && (
        <details>
          <summary>Pinned versions ({pinned.length})</summary>
          <ModelList label="Pinned versions" models={pinned} />
        </details>
      )}
    </PanelFrame>
  )
}

function ModelList(props: { readonly label: string; readonly models: readonly Model[] }): ReactElement {
  return (
    <ul className="pair" aria-label={props.label}>
      {props.models.map((model) => (
        <ModelCard key={model.id} model={model} />
      ))}
    </ul>
  )
}

function ModelCard({ model }: { readonly model: Model }): ReactElement {
  const known = knownModel(model.id)
  return (
    <li className="card model-card">
      <header className="row gap-3">
        <span data-tone="good">
          <Icon name={known?.icon ?? 'models'} />
        </span>
        <div className="grow">
          <h2 className="mono small breaks">{model.id}</h2>
          <p className="hint">{known?.task ?? 'Not in the documented interface'}</p>
        </div>
        <CopyButton text={model.id} what={model.id} />
      </header>
      <ul className="model-facts stack small">
        {known?.abilities.map((ability) => (
          <li key={ability} className="row gap-2">
            <Icon name="check" />
            {ability}
          </li>
        ))}
        {known?.limits.map((limit) => (
          <li key={limit} className="row gap-2 muted">
            <Icon name="settings" />
            {limit}
          </li>
        ))}
      </ul>
      <footer className="row gap-3 between">
        <p className="hint">
          {known === undefined ? '' : <code>{known.endpoint}</code>}
          <br />
          Owner: {model.owned_by}
        </p>
        {known !== undefined && (
          <Link href={known.tryAt} className="button button-small">
            Try it<span className="visually-hidden"> with {model.id}</span>
            <Icon name="arrow" />
          </Link>
        )}
      </footer>
    </li>
  )
}

/** What the interface documents of a model. */
export interface KnownModel {
  readonly task: string
  readonly icon: IconName
  /** What it can do, in a few words each. */
  readonly abilities: readonly string[]
  /** Its limits, each with the number. */
  readonly limits: readonly string[]
  /** The endpoint that takes it. */
  readonly endpoint: string
  /** Where the page uses it. */
  readonly tryAt: string
}

const STREAMS = 'Streams PCM and events'

const SPEECH = { task: 'Speech', icon: 'speak', endpoint: 'POST /v1/audio/speech', tryAt: '/speak' } as const
const TRANSCRIPTION = {
  task: 'Transcription',
  icon: 'transcribe',
  endpoint: 'POST /v1/audio/transcriptions',
  tryAt: '/transcribe',
} as const

const KNOWN: Readonly<Record<string, KnownModel>> = {
  'svc-tts-1.5-flash': {
    ...SPEECH,
    abilities: ['One speaker', STREAMS, 'Pause markers'],
    limits: ['Speed 0.25 to 4', 'A pause is 0.1 to 10 s'],
  },
  'svc-tts-1.0-pro': {
    ...SPEECH,
    abilities: ['One speaker', 'Files in every format'],
    limits: ['Does not stream', 'No pause markers'],
  },
  'svc-ttsd-1.0': {
    task: 'Dialogue',
    icon: 'dialogue',
    abilities: ['Several speakers in one file'],
    limits: [],
    endpoint: 'POST /v1/audio/speech/speakers',
    tryAt: '/dialogue',
  },
  'svc-transcribe-1.0': {
    ...TRANSCRIPTION,
    abilities: ['JSON or plain text'],
    limits: ['Files up to 512 MiB', 'No key terms'],
  },
  'svc-transcribe-diarize-pro': {
    ...TRANSCRIPTION,
    abilities: ['Names the speakers', 'Streams events', 'Key terms'],
    limits: ['Files up to 512 MiB'],
  },
  'svc-voice-generator-1.0': {
    task: 'Voice design',
    icon: 'voices',
    abilities: ['A voice from a description'],
    limits: [],
    endpoint: 'POST /v1/audio/voice/generations',
    tryAt: '/voices',
  },
}

/** The date at the end of an id that pins a version, which a model without one follows. */
const DATE = /-\d{4}-\d\d-\d\d$/

/** What the interface documents of a model; `undefined` for a model of this service alone. */
export function knownModel(id: string): KnownModel | undefined {
  const name = id.replace(DATE, '')
  const model = Object.hasOwn(KNOWN, name) ? KNOWN[name] : undefined
  if (model === undefined || name === id) return model
  // Streaming takes the undated id only (interface: streaming speech).
  const abilities = model.abilities.filter((ability) => ability !== STREAMS)
  return { ...model, abilities: [...abilities, 'Pins the version'] }
}
