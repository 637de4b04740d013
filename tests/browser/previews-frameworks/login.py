from flask import Flask, redirect, request, session

app = Flask(__name__)
app.secret_key = 'of a test'


@app.get('/')
def home():
    who = session.get('who')
    if who is None:
        return '<h1>Log in</h1><form method="post" action="/login"><input name="who" aria-label="Name"><button>Log in</button></form>'
    return f'<h1>Hello {who}</h1><form method="post" action="/logout"><button>Log out</button></form>'


@app.post('/login')
def login():
    session['who'] = request.form['who']
    return redirect('/')


@app.post('/logout')
def logout():
    session.clear()
    return redirect('/')
