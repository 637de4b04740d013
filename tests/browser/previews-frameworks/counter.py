import streamlit as st

st.session_state.setdefault('count', 0)
if st.button('Add'):
    st.session_state.count += 1
st.write(f'The count is {st.session_state.count}')
