/** @jsxImportSource react */
import post from '../README.md?narrate'

/** A page that takes what an import gives. */
export const page = (
  <main>
    <narration-player
      src={post.src}
      captions={post.captions}
      duration={post.durationSeconds}
      label={post.title}
      for="post"
      id="player"
      labels={{ play: 'Abspielen' }}
      download
      resume
    />
    <narration-player src="/post.mp3" />
  </main>
)

/** Attributes of another type, and unknown ones, are errors. */
export const wrong = (
  <main>
    {/* @ts-expect-error: an address is a string */}
    <narration-player src={1} />
    {/* @ts-expect-error: a misspelt attribute */}
    <narration-player caption="/post.vtt" />
  </main>
)
