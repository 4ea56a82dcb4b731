import type { ReactElement } from 'react'
import { Panel } from './components/panel.tsx'

/** Says honestly what speaks and what listens. */
export function About(): ReactElement {
  return (
    <Panel
      className="panel-wide"
      title="What you hear, and what listens"
      about="Small, free and local. Not the state of the art."
    >
      <div className="notes">
        <div>
          <h3>The voices</h3>
          <p>
            They are those of flite, from Carnegie Mellon University: English only, 16 kHz, made by statistics in the
            2000s, and they sound like it. <b>rms</b> is the clearest; <b>kal16</b> is the oldest and the most robotic.
            Their merit is speed: they speak many times faster than real time, in WebAssembly, on one core.
          </p>
        </div>
        <div>
          <h3>The recognizer</h3>
          <p>
            It is PocketSphinx with a general model of US English. It hears clear, read speech well, this page’s own
            voices above all. With noise, accents, names or several people it makes many mistakes. It writes in lower
            case, without punctuation.
          </p>
        </div>
        <div>
          <h3>Where it runs</h3>
          <p>
            All on this machine: no account, nothing leaves it. The service behind this page speaks the same interface
            as a hosted one, so the code above works with better voices once <code>baseUrl</code> and{' '}
            <code>apiKey</code> name that one. The key stays on the server; this page never gets it.
          </p>
        </div>
      </div>
    </Panel>
  )
}
