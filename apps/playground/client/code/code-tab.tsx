import type { ReactElement } from 'react'
import { TabPanels, Tabs } from '../components/tabs.tsx'
import { useStored } from '../lib/stored.ts'
import { usePanel } from '../shell/panel-context.ts'
import { CodeBlock } from './code-block.tsx'
import { CopyButton } from '../components/copy-button.tsx'
import type { Snippet } from './snippet.ts'

/** The playground forwards calls of programs to its service, with the key of the service in place of theirs. */
function environmentOf(origin: string): readonly string[] {
  return [`export SVC_AUDIO_BASE_URL=${origin}/api`, 'export SVC_AUDIO_API_KEY=playground']
}

/** The Code tab: what is on the screen, as code for each package. */
export function CodeTab({ snippets }: { readonly snippets: readonly Snippet[] }): ReactElement {
  const { id } = usePanel()
  const [chosen, choose] = useStored<string>('code', 'core')
  const snippet = snippets.find(({ kind }) => kind === chosen) ?? snippets[0]
  if (snippet === undefined) return <p className="muted">There is no code for this yet.</p>
  const tabs = { prefix: `${id}-code`, selected: snippet.kind }
  return (
    <div className="stack code-tab">
      <Tabs
        {...tabs}
        label="Package"
        className="tabs-pills"
        items={snippets.map(({ kind, title }) => ({ id: kind, label: title }))}
        onSelect={choose}
      />
      <TabPanels {...tabs} ids={snippets.map(({ kind }) => kind)} className="stack">
        {(_kind, shown) => shown && <SnippetView snippet={snippet} />}
      </TabPanels>
    </div>
  )
}

function SnippetView({ snippet }: { readonly snippet: Snippet }): ReactElement {
  const { code, file, steps } = snippet
  return (
    <>
      <CodeBlock code={code} file={file} />
      <ol className="list">
        {steps === undefined
          ? commandsOf(snippet).map(({ title, command }) => <Step key={title} title={title} command={command} />)
          : steps.map((step) => (
              <li key={step} className="step step-words">
                {step}
              </li>
            ))}
      </ol>
      <p className="hint">
        The address is this playground, while it runs: it adds the key of its service. For a service of your own, set
        its address and its key.
      </p>
    </>
  )
}

function commandsOf({ install, environment = [], run, call }: Snippet): { title: string; command: string }[] {
  const commands = [
    { title: 'Install', command: install },
    { title: 'Set the environment', command: [...environmentOf(location.origin), ...environment].join('\n') },
    { title: 'Run', command: run },
    { title: 'Call', command: call },
  ]
  return commands.flatMap(({ title, command }) => (command === undefined ? [] : [{ title, command }]))
}

function Step({ title, command }: { readonly title: string; readonly command: string }): ReactElement {
  return (
    <li className="step">
      <span className="step-title">{title}</span>
      <code className="step-command">
        {command.split(/(\s+)/).map((word, index) =>
          // A word breaks only if it is longer than the line: a break at a hyphen would read as another option.
          word.trim() === '' ? (
            word
          ) : (
            // The words of a command never move.
            // oxlint-disable-next-line react/no-array-index-key
            <span key={index}>{word}</span>
          ),
        )}
      </code>
      <CopyButton text={command} what={title} />
    </li>
  )
}
