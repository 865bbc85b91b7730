from fastapi import APIRouter, Depends

from .auth import current_user, require_admin
from .store import Store, get_store

router = APIRouter()


@router.get("/users/{user_id}")
def show(user_id: int, store: Store = Depends(get_store), user=Depends(current_user)):
    return store.user(user_id).public()


@router.delete("/users/{user_id}")
def remove(user_id: int, store: Store = Depends(get_store), admin=Depends(require_admin)):
    store.remove_user(user_id)
    return {"removed": user_id}
