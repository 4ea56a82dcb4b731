import type { Model } from '@svc-audio/core/pure'
import { type ReactElement, useCallback } from 'react'
import { CopyButton } from '../../components/copy-button.tsx'
import { Icon } from '../../components/icon.tsx'
import { Empty, LoadedState } from '../../components/states.tsx'
import { useLoaded } from '../../lib/use-loaded.ts'
import { Link } from '../../shell/link.tsx'
import { usePanel } from '../../shell/panel-context.ts'
import { PanelFrame } from '../../shell/panel-frame.tsx'
import { knownModel } from './known-models.ts'
import { modelsSnippets } from './models-snippets.ts'
import './models.css'

/** The models of the account. */
export function Panel(): ReactElement {
  const { client } = usePanel()
  const models = useLoaded(useCallback(async (signal) => (await client.models.list({ signal })).data, [client]))
  const pinned = models.data?.filter(({ id }) => isPinned(id)) ?? []
  return (
    <PanelFrame title="Models" about="What your account can use, and what each model can do." code={modelsSnippets}>
      <LoadedState loaded={models} what="the models" />
      {models.data?.length === 0 && (
        <Empty icon="models" title="No models">
          This account has no model. Ask its owner.
        </Empty>
      )}
      <ModelList label="Models" models={models.data?.filter(({ id }) => !isPinned(id)) ?? []} />
      {pinned.length > 0 && (
        <details className="pinned-models">
          <summary>Pinned versions ({pinned.length})</summary>
          <ModelList label="Pinned versions" models={pinned} />
        </details>
      )}
    </PanelFrame>
  )
}

/** Whether an id names a version by its date, which a model without one follows. */
function isPinned(id: string): boolean {
  return /-\d{4}-\d{2}-\d{2}$/.test(id)
}

function ModelList(props: { readonly label: string; readonly models: readonly Model[] }): ReactElement {
  return (
    <ul className="model-list" aria-label={props.label}>
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
      <header className="model-head">
        <span className="round">
          <Icon name={known?.icon ?? 'models'} />
        </span>
        <div>
          <h2 className="model-id">{model.id}</h2>
          <p className="hint">{known?.task ?? 'Not in the documented interface'}</p>
        </div>
        <CopyButton text={model.id} what={model.id} />
      </header>
      <ul className="model-facts">
        {known?.abilities.map((ability) => (
          <li key={ability}>
            <Icon name="check" />
            {ability}
          </li>
        ))}
        {known?.limits.map((limit) => (
          <li key={limit} className="muted">
            <Icon name="settings" />
            {limit}
          </li>
        ))}
      </ul>
      <footer className="model-foot">
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
