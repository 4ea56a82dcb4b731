import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { watchLeaving } from './lib/hooks.ts'
import { App, applyStoredTheme } from './shell/app.tsx'
import { watchConnection } from './shell/connection.ts'
import { listenForEscape } from './shell/panel-context.ts'
import { followHistory } from './shell/router.tsx'
import './styles/tokens.css'
import './styles/base.css'
import './styles/shell.css'
import './styles/panel.css'
import './styles/controls.css'
import './styles/player.css'
import './styles/states.css'
import './styles/code.css'

applyStoredTheme()
followHistory()
listenForEscape()
watchConnection()
// A file that is dropped beside its place would replace the page.
for (const name of ['dragover', 'drop']) addEventListener(name, (event) => event.preventDefault())

const root = document.querySelector('#root')
if (root !== null) {
  watchLeaving()
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}
