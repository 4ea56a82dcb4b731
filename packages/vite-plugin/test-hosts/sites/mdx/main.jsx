import '@svc-audio/vite-plugin/player'
import { createRoot } from 'react-dom/client'
import Post from './post.mdx'
import post from './post.mdx?narrate'

function Page() {
  return (
    <>
      <narration-player
        src={post.src}
        captions={post.captions}
        duration={post.durationSeconds}
        for="post"
        label="Post"
      />
      <article id="post">
        <Post />
      </article>
    </>
  )
}

createRoot(document.querySelector('#root')).render(<Page />)
